package io.kvstore.server.http.message;

import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Chooses the form of an answer that a client prefers (RFC 9110, 12.5.1): types, ranges of types, and their weights. */
public final class Accept {

    private Accept() {}

    /**
     * The offered type with the greatest weight. Of types with equal weights it is the first. Without a header it is the first
     * of all.
     *
     * @param header the header's lines, joined by commas, or null
     * @param offered types in lower case
     * @throws ProblemException if the client takes none of them
     */
    public static String preferred(@Nullable String header, List<String> offered) {
        if (header == null || header.isBlank()) {
            return offered.getFirst();
        }
        String best = "";
        double most = 0;
        for (String type : offered) {
            double weight = weight(header, type);
            if (weight > most) {
                best = type;
                most = weight;
            }
        }
        if (best.isEmpty()) {
            throw new ProblemException(Problem.of(
                    ProblemCode.NOT_ACCEPTABLE, "the Accept header takes none of " + String.join(", ", offered)));
        }
        return best;
    }

    /**
     * The weight of the most exact range that holds the type. The more exact the range is, the more its weight is raised, by a
     * thousandth at each step.
     */
    private static double weight(String header, String type) {
        String family = type.substring(0, type.indexOf('/')) + "/*";
        double weight = 0;
        int exact = -1;
        for (String part : header.toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] parameters = part.split(";", -1);
            String range = parameters[0].strip();
            int how = range.equals(type) ? 2 : range.equals(family) ? 1 : range.equals("*/*") ? 0 : -1;
            if (how > exact) {
                exact = how;
                weight = quality(parameters) * (1 + how / 1_000.0);
            }
        }
        return weight;
    }

    private static double quality(String[] parameters) {
        for (int i = 1; i < parameters.length; i++) {
            String parameter = parameters[i].replace(" ", "").replace("\t", "");
            if (parameter.startsWith("q=")) {
                String number = parameter.substring(2);
                if (!number.matches("0(\\.[0-9]{0,3})?|1(\\.0{0,3})?")) {
                    throw ProblemException.invalid("the Accept header has the weight \"" + number + "\"; give 0 to 1");
                }
                return Double.parseDouble(number);
            }
        }
        return 1;
    }
}

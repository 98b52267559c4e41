package io.kvstore.server.http.message;

import io.kvstore.data.KeyRange;
import io.kvstore.server.edge.ProblemException;
import java.util.Set;

/** The range that a request's parameters describe. */
public final class Ranges {

    /** The parameters of every route that takes a range. */
    public static final Set<String> PARAMETERS =
            Set.of("prefix", "start", "end", "start_exclusive", "end_inclusive", "encoding");

    private Ranges() {}

    public static KeyRange of(Query query) {
        KeyEncoding encoding = KeyEncoding.named(query.text("encoding"));
        byte[] prefix = query.bytes("prefix");
        byte[] start = query.bytes("start");
        byte[] end = query.bytes("end");
        if (prefix != null && (start != null || end != null)) {
            throw ProblemException.invalid("give either prefix or start and end, not both");
        }
        boolean startExclusive = query.flag("start_exclusive");
        boolean endInclusive = query.flag("end_inclusive");
        if ((startExclusive && start == null) || (endInclusive && end == null)) {
            throw ProblemException.invalid("start_exclusive needs start, and end_inclusive needs end");
        }
        KeyRange range = KeyRange.all();
        if (prefix != null) {
            range = KeyRange.prefix(encoding.bytes(prefix, "prefix"));
        }
        if (start != null) {
            range = range.from(encoding.bytes(start, "start"), !startExclusive);
        }
        if (end != null) {
            range = range.to(encoding.bytes(end, "end"), endInclusive);
        }
        return range;
    }
}

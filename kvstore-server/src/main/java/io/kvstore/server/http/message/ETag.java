package io.kvstore.server.http.message;

import io.kvstore.data.ValueTag;
import io.kvstore.server.edge.ProblemException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The {@link ValueTag} of a value in the form of HTTP: 16 hexadecimal digits in quotes. */
public final class ETag {

    private static final Pattern LIST = Pattern.compile("(W/)?\"([\\x21\\x23-\\x7E]*)\"");
    private static final Pattern OURS = Pattern.compile("[0-9a-f]{16}");

    private ETag() {}

    public static String of(byte[] value) {
        return "\"" + HexFormat.of().toHexDigits(ValueTag.of(value)) + "\"";
    }

    /** Whether an {@code If-None-Match} lists the tag, or is {@code *}. */
    public static boolean isListed(String header, String tag) {
        if (header.strip().equals("*")) {
            return true;
        }
        Matcher tags = LIST.matcher(header);
        while (tags.find()) {
            if (tag.equals("\"" + tags.group(2) + "\"")) {
                return true;
            }
        }
        return false;
    }

    /** The tags of a list that a value can have. Weak tags are left out, because they never match where a value is changed. */
    public static List<Long> strong(String header, String field) {
        List<Long> tags = new ArrayList<>();
        for (String text : strongTexts(header, field)) {
            Long digits = digits(text);
            if (digits != null && !tags.contains(digits)) {
                tags.add(digits);
            }
        }
        return tags;
    }

    /**
     * Whether a header {@code If-Match} allows the present state.
     *
     * @param tag the present tag, or null if there is nothing that has one
     */
    public static boolean matches(String header, @Nullable String tag) {
        if (header.strip().equals("*")) {
            return tag != null;
        }
        return strongTexts(header, "If-Match").stream().anyMatch(text -> ("\"" + text + "\"").equals(tag));
    }

    /** The texts of the tags of a list that are not weak. */
    private static List<String> strongTexts(String header, String field) {
        List<String> texts = new ArrayList<>();
        Matcher tag = LIST.matcher(header);
        int end = 0;
        while (tag.find()) {
            checkBetween(header.substring(end, tag.start()), end > 0, field);
            if (tag.group(1) == null) {
                texts.add(tag.group(2));
            }
            end = tag.end();
        }
        checkBetween(header.substring(end), false, field);
        if (end == 0) {
            throw notTags(field);
        }
        return texts;
    }

    private static void checkBetween(String text, boolean needsComma, String field) {
        if (!text.replace(",", "").isBlank() || (needsComma && text.indexOf(',') < 0)) {
            throw notTags(field);
        }
    }

    private static ProblemException notTags(String field) {
        return ProblemException.invalid(field + " is not a list of ETags in quotes, or *");
    }

    /** The tag in a text with or without quotes. Null if no value can have it. */
    public static @Nullable Long parseLenient(String text) {
        boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
        return digits(quoted ? text.substring(1, text.length() - 1) : text);
    }

    private static @Nullable Long digits(String text) {
        return OURS.matcher(text).matches() ? Long.parseUnsignedLong(text, 16) : null;
    }
}

package io.kvstore.server.http.message;

import io.kvstore.server.edge.ProblemException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of a value that the body of a request is.
 *
 * @param first the place of the part's first byte in the value
 * @param bytes the length of the part
 */
public record ContentRange(int first, long bytes) {

    private static final Pattern FORM = Pattern.compile("bytes ([0-9]{1,9})-([0-9]{1,9})/(\\*|[0-9]{1,10})");

    /**
     * The part that the header Content-Range names, as in {@code bytes 10-14/*}. The length of the whole value, which may be
     * given behind the slash, is not looked at: it is what the request changes.
     */
    static ContentRange parse(String header) {
        Matcher matcher = FORM.matcher(header.strip());
        if (!matcher.matches()) {
            throw ProblemException.invalid(
                    "Content-Range is \"" + header + "\"; give bytes FIRST-LAST/*, such as bytes 10-14/*");
        }
        int first = Integer.parseInt(matcher.group(1));
        int last = Integer.parseInt(matcher.group(2));
        if (last < first) {
            throw ProblemException.invalid("Content-Range ends at " + last + ", before it begins at " + first);
        }
        return new ContentRange(first, (long) last - first + 1);
    }
}

package io.kvstore.server.http.message;

import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A part of a file that a request asks for.
 *
 * @param first offset of the first byte
 * @param end offset behind the last byte
 */
public record ByteRange(long first, long end) {

    private static final Pattern FORM = Pattern.compile("bytes=([0-9]{0,18})-([0-9]{0,18})");

    /**
     * The part that the header Range names. A header of another form, such as one with several ranges, counts for nothing, as
     * the standard allows: then the whole is given.
     *
     * @param bytes length of the file
     * @return null for the whole
     * @throws ProblemException if the file ends before the part begins
     */
    public static @Nullable ByteRange parse(@Nullable String header, long bytes) {
        Matcher matcher = FORM.matcher(header == null ? "" : header.strip());
        if (!matcher.matches()
                || (matcher.group(1).isEmpty() && matcher.group(2).isEmpty())) {
            return null;
        }
        if (matcher.group(1).isEmpty()) {
            long last = Long.parseLong(matcher.group(2));
            return require(new ByteRange(Math.max(0, bytes - last), bytes), bytes);
        }
        long first = Long.parseLong(matcher.group(1));
        long last = matcher.group(2).isEmpty() ? bytes - 1 : Long.parseLong(matcher.group(2));
        return last < first && !matcher.group(2).isEmpty()
                ? null
                : require(new ByteRange(first, Math.min(bytes, last + 1)), bytes);
    }

    private static ByteRange require(ByteRange range, long bytes) {
        if (range.first >= bytes || range.end <= range.first) {
            throw new ProblemException(Problem.of(
                    ProblemCode.RANGE_NOT_SATISFIABLE,
                    "the file has " + bytes + " bytes, from 0 to " + (bytes - 1) + "; ask for some of them"));
        }
        return range;
    }

    public long bytes() {
        return end - first;
    }

    /** The header Content-Range of an answer that has no part, because the file ends before the one that was asked for. */
    public static String unsatisfied(long bytes) {
        return "bytes */" + bytes;
    }

    /** The header Content-Range. */
    public String contentRange(long bytes) {
        return "bytes " + first + "-" + (end - 1) + "/" + bytes;
    }
}

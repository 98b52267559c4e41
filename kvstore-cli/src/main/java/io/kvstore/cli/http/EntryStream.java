package io.kvstore.cli.http;

import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The text of a stream of entries: a line for each, and a last one that says how many there were, or why there are no more. Its
 * end is reached only if the last line says that the stream is complete, and counts the lines that came. For use by one thread.
 */
public final class EntryStream extends FilterInputStream {

    /** The longest last line that is understood. It has the message of an error at most. */
    private static final int TAIL_BYTES = 64 << 10;

    private final byte[] tail = new byte[TAIL_BYTES];
    private int tailSize;
    private long lines;
    private boolean isChecked;

    EntryStream(InputStream in) {
        super(in);
    }

    /** How many lines came. */
    public long lines() {
        return lines;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    /**
     * Reads bytes; returns how many, or -1 at the end of a stream that is complete.
     *
     * @throws KVClientException if the stream ended before it was complete
     */
    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int count = super.read(into, offset, length);
        if (count < 0) {
            requireComplete();
            return count;
        }
        for (int i = offset; i < offset + count; i++) {
            if (into[i] == '\n') {
                lines++;
            }
        }
        keep(into, offset, count);
        return count;
    }

    /** Only the reader's own bytes are counted, so none may be left out. */
    @Override
    public long skip(long count) {
        return 0;
    }

    private void keep(byte[] bytes, int offset, int count) {
        if (count >= TAIL_BYTES) {
            System.arraycopy(bytes, offset + count - TAIL_BYTES, tail, 0, TAIL_BYTES);
            tailSize = TAIL_BYTES;
            return;
        }
        int kept = Math.min(tailSize, TAIL_BYTES - count);
        System.arraycopy(tail, tailSize - kept, tail, 0, kept);
        System.arraycopy(bytes, offset, tail, kept, count);
        tailSize = kept + count;
    }

    /**
     * Called when a line cannot be read, which may be the last one. Reads a little more, and fails for the reason that the last
     * line gives, if the stream ends there.
     */
    public void failIfEnded() throws IOException {
        byte[] rest = new byte[TAIL_BYTES];
        int left = 0;
        for (int count = 0; count >= 0 && left < TAIL_BYTES; count = read(rest, 0, rest.length)) {
            left += count;
        }
    }

    private void requireComplete() {
        if (isChecked) {
            return;
        }
        JsonNode last = lastLine();
        if (last == null || !last.has("end")) {
            throw incomplete(
                    ErrorCode.STOPPING,
                    "the stream of entries ended in the middle, after " + lines + " lines; try again");
        }
        JsonNode error = last.get("error");
        if (error != null) {
            throw Problems.of(error);
        }
        long count = last.path("count").asLong(-1);
        if (!last.path("end").asBoolean(false)) {
            throw incomplete(
                    ErrorCode.INTERNAL_ERROR,
                    "the stream of entries says that it is not complete, after " + (lines - 1) + " entries; try again");
        }
        if (count != lines - 1) {
            throw incomplete(
                    ErrorCode.INTERNAL_ERROR,
                    "the stream of entries says that it has " + count + " entries, and " + (lines - 1)
                            + " came; try again");
        }
        isChecked = true;
    }

    private @Nullable JsonNode lastLine() {
        int end = tailSize - 1;
        if (end < 0 || tail[end] != '\n') {
            return null;
        }
        int start = end;
        while (start > 0 && tail[start - 1] != '\n') {
            start--;
        }
        return Answer.documentOrNull(Arrays.copyOfRange(tail, start, end));
    }

    private static KVClientException incomplete(ErrorCode code, String message) {
        return KVClientException.of(ErrorReport.of(code, Outcome.FAILED, message));
    }
}

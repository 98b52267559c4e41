package io.kvstore.cli.http;

import java.io.IOException;
import java.io.InputStream;

/** Reads the body of an answer into memory, up to a limit. */
final class BoundedBody {

    private BoundedBody() {}

    /** A body that is longer than the limit. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;

        TooLong(int limit) {
            super("the answer has more than " + limit + " bytes");
        }
    }

    /**
     * Reads a body to its end. Memory grows with the bytes that come: the length that an answer says it has may be a lie.
     *
     * @param announced the length that the answer says it has; -1 if it says none
     * @throws TooLong at once if the answer says that it is longer than the limit, else as soon as it is
     */
    static byte[] read(InputStream in, int limit, long announced) throws IOException {
        if (announced > limit) {
            throw new TooLong(limit);
        }
        byte[] body = in.readNBytes(announced < 0 ? limit : (int) announced);
        if (in.read() >= 0) { // asked in any case: the library gives the connection back when it tells the end
            throw new TooLong(limit);
        }
        return body;
    }
}

package io.kvstore.data;

import java.nio.ByteBuffer;

/** Takes the entries of a cursor where they were read, without an array of its own for each value. */
@FunctionalInterface
public interface EntryVisitor {

    /**
     * Takes an entry. It should not take long, and not wait: who closes the store or the cursor waits for it. So it must not
     * close the store itself; if it closes the cursor, it gets no more.
     *
     * @param key a fresh array
     * @param value what is between position and limit, to be read during the call only and not to be written; empty when the
     *     range asks for keys only
     * @return whether it wants the next entry
     */
    boolean visit(byte[] key, ByteBuffer value);
}

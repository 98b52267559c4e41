package io.kvstore.data;

import java.nio.ByteBuffer;

/** Takes the entries of a cursor from the memory they were read into, without an array for each value. */
@FunctionalInterface
public interface EntryVisitor {

    /**
     * Takes an entry. The call should be short and should not wait, because a thread that closes the store or the cursor waits
     * for it. So the visitor must not close the store itself. If it closes the cursor, it gets no more entries.
     *
     * @param key a new array
     * @param value the bytes between position and limit, to be read during the call only and not to be written; empty if the
     *     range asks for keys only
     * @return whether the visitor wants the next entry
     */
    boolean visit(byte[] key, ByteBuffer value);
}

package io.kvstore.engine;

import io.kvstore.data.KeyRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open table file: a map of byte strings in the order of keys, which never changes. Safe for use by any number of threads.
 * A store closes it when all calls have returned and all cursors are closed. {@code TableFile} closes it beside them: a call or
 * a step of a cursor that comes then, or is under way, throws an {@link IllegalStateException} or an {@link IOException}, and
 * reads no other memory.
 */
public interface TableFileReader extends AutoCloseable {

    TableFileInfo info();

    /** The value of a key, or null. */
    byte @Nullable [] get(byte[] key) throws IOException;

    /** Whether a key has a value. Of an entry that is found all bytes are checked. */
    default boolean contains(byte[] key) throws IOException {
        return get(key) != null;
    }

    /** The entries of a range. Its limit and keys-only have no meaning here. */
    EngineCursor scan(KeyRange range) throws IOException;

    /** How many entries a range has. Counting ends at the range's limit. */
    long count(KeyRange range) throws IOException;

    /** As {@link TableEngine#keyAt}. */
    byte @Nullable [] keyAt(KeyRange range, long index) throws IOException;

    /** As {@link TableEngine#separators}. */
    List<byte[]> separators(KeyRange range, int wanted) throws IOException;

    /** Reads the whole file once, so that the system has it in memory if there is room. Checks nothing. */
    void load(Progress progress) throws IOException;

    /** Reads every byte of the file and checks every rule of its structure. */
    void verify(Findings findings, Progress progress) throws IOException;

    /** Copies bytes of the file as it is, into the remaining room of a buffer. Nothing is checked. */
    void copy(long offset, ByteBuffer target) throws IOException;

    /** Memory outside the heap through which the file is read; 0 if it is read by position. */
    long mappedBytes();

    @Override
    void close() throws IOException;
}

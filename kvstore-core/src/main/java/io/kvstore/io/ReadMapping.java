package io.kvstore.io;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A file that does not change any more, mapped for reading. Safe for use by several threads until it is closed. */
public interface ReadMapping extends AutoCloseable {

    /**
     * The file's bytes. A part of the disk that cannot be read shows as an {@link InternalError} of the access.
     * {@link StorageFile#read} tells more in that case.
     */
    MemorySegment memory();

    @Override
    void close() throws IOException;
}

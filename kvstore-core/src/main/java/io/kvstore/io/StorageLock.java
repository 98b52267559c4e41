package io.kvstore.io;

import java.io.IOException;

/** A lock across processes, held until closed. */
public interface StorageLock extends AutoCloseable {

    @Override
    void close() throws IOException;
}

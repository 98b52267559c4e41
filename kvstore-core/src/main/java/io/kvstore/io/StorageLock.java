package io.kvstore.io;

import java.io.IOException;

/** A lock across processes. It is held until it is closed. */
public interface StorageLock extends AutoCloseable {

    @Override
    void close() throws IOException;
}

package io.kvstore.io;

import java.io.IOException;

/**
 * A directory that is open, so that its changes can be made durable without opening anything. Whoever must not fail between a
 * change and its sync opens the directory before the change.
 */
public interface StorageDirectory extends AutoCloseable {

    /** Makes the creations, renames and deletions in the directory durable. */
    void sync() throws IOException;

    @Override
    void close();
}

package io.kvstore.io;

import java.io.IOException;

/**
 * An open directory. Its changes can be made durable without opening anything. A caller that must not fail between a change and
 * its sync opens the directory before the change.
 */
public interface StorageDirectory extends AutoCloseable {

    /** Makes the creations, renames and deletions in the directory durable. */
    void sync() throws IOException;

    @Override
    void close();
}

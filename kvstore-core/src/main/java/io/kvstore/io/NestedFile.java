package io.kvstore.io;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file of a {@link NestedStorage}, which has another path there. */
record NestedFile(String path, StorageFile file) implements StorageFile {

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        return file.read(target, position);
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        file.write(source, position);
    }

    @Override
    public long writeUncached(ByteBuffer source, long position) throws IOException {
        return file.writeUncached(source, position);
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public void truncate(long size) throws IOException {
        file.truncate(size);
    }

    @Override
    public void sync() throws IOException {
        file.sync();
    }

    @Override
    public void readFully(ByteBuffer target, long position) throws IOException {
        file.readFully(target, position);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}

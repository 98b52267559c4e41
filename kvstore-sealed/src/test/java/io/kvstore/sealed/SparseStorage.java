package io.kvstore.sealed;

import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;

/** A storage whose new files have holes in place of zeros, if something is written behind them. */
final class SparseStorage {

    private SparseStorage() {}

    static Storage over(Storage inner) {
        InvocationHandler handler = (_, method, arguments) -> {
            try {
                Object result = method.invoke(inner, arguments);
                return method.getName().equals("create") && result instanceof StorageFile file
                        ? new SparseFile(file)
                        : result;
            } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
        };
        return (Storage)
                Proxy.newProxyInstance(Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, handler);
    }

    private record SparseFile(StorageFile inner) implements StorageFile {

        @Override
        public String path() {
            return inner.path();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return inner.read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            if (source.mismatch(ByteBuffer.allocate(source.remaining())) < 0) {
                source.position(source.limit());
            } else {
                inner.write(source, position);
            }
        }

        @Override
        public long size() throws IOException {
            return inner.size();
        }

        @Override
        public void truncate(long size) throws IOException {
            inner.truncate(size);
        }

        @Override
        public void sync() throws IOException {
            inner.sync();
        }

        @Override
        public void close() throws IOException {
            inner.close();
        }
    }
}

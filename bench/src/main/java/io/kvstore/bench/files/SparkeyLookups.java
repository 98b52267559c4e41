package io.kvstore.bench.files;

import com.spotify.sparkey.CompressionType;
import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyReader;
import com.spotify.sparkey.SparkeyWriter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Files of Sparkey. A reader is for one thread, so each thread has its own.
 *
 * @param compression of blocks
 * @param blockBytes bytes of entries in a block; 0 without compression
 */
record SparkeyLookups(CompressionType compression, int blockBytes) implements LookupFile {

    private static File index(Path directory) {
        return directory.resolve("bench.spi").toFile();
    }

    @Override
    public Building build(Path directory) throws IOException {
        SparkeyWriter writer = Sparkey.createNew(index(directory), compression, blockBytes);
        return new Building() {
            @Override
            public void put(byte[] key, byte[] value) throws IOException {
                writer.put(key, value);
            }

            @Override
            public void close() throws IOException {
                writer.flush();
                writer.writeHash();
                writer.close();
            }
        };
    }

    @Override
    public Open open(Path directory) {
        Collection<SparkeyReader> readers = new ConcurrentLinkedQueue<>();
        return new Open() {
            @Override
            public Lookup lookup() throws IOException {
                SparkeyReader reader = Sparkey.open(index(directory));
                readers.add(reader);
                return reader::getAsByteArray;
            }

            @Override
            public void close() {
                readers.forEach(SparkeyReader::close);
            }
        };
    }
}

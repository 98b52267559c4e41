package io.kvstore.bench.files;

import com.linkedin.paldb.api.PalDB;
import com.linkedin.paldb.api.StoreReader;
import com.linkedin.paldb.api.StoreWriter;
import com.spotify.sparkey.CompressionType;
import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyReader;
import com.spotify.sparkey.SparkeyWriter;
import io.kvstore.TableFile;
import io.kvstore.TableFileBuilder;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** The formats that are compared, each as its library is used by default, without compression. */
enum FileKind implements LookupFile {
    /** Sealed files of this store. */
    KVSTORE {
        @Override
        public Building build(Path directory) {
            TableFileBuilder builder = TableFileBuilder.create(directory.resolve("bench.sealed"));
            return new Building() {
                @Override
                public void put(byte[] key, byte[] value) {
                    builder.put(key, value);
                }

                @Override
                public void close() {
                    try (builder) {
                        builder.finish();
                    }
                }
            };
        }

        @Override
        public Open open(Path directory) {
            TableFile file = TableFile.open(directory.resolve("bench.sealed"));
            return new Open() {
                @Override
                public Lookup lookup() {
                    return file::get;
                }

                @Override
                public void close() {
                    file.close();
                }
            };
        }
    },
    /** A reader is for one thread, so each thread has its own. */
    SPARKEY {
        private File index(Path directory) {
            return directory.resolve("bench.spi").toFile();
        }

        @Override
        public Building build(Path directory) throws IOException {
            SparkeyWriter writer = Sparkey.createNew(index(directory), CompressionType.NONE, 0);
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
    },
    /** A reader takes a lock for each look-up when several threads share it, which its text asks for. */
    PALDB {
        private File file(Path directory) {
            return directory.resolve("bench.paldb").toFile();
        }

        @Override
        public Building build(Path directory) {
            StoreWriter writer = PalDB.createWriter(file(directory));
            return new Building() {
                @Override
                public void put(byte[] key, byte[] value) {
                    writer.put((Object) key, (Object) value); // the method for arrays takes what is serialized already
                }

                @Override
                public void close() {
                    writer.close();
                }
            };
        }

        @Override
        public Open open(Path directory) {
            StoreReader reader = PalDB.createReader(file(directory));
            return new Open() {
                @Override
                public Lookup lookup() {
                    return key -> locked(reader, key);
                }

                @Override
                public void close() {
                    reader.close();
                }
            };
        }

        private static byte @Nullable [] locked(StoreReader reader, byte[] key) {
            synchronized (reader) {
                return reader.get(key);
            }
        }
    };

    boolean isOurs() {
        return this == KVSTORE;
    }
}

package io.kvstore.bench.files;

import com.linkedin.paldb.api.PalDB;
import com.linkedin.paldb.api.StoreReader;
import com.linkedin.paldb.api.StoreWriter;
import java.io.File;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Files of PalDB. A reader takes a lock for each look-up when several threads share it, which its text asks for. */
record PaldbLookups() implements LookupFile {

    private static File file(Path directory) {
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
}

package io.kvstore.bench.files;

import io.kvstore.Cursor;
import io.kvstore.TableFile;
import io.kvstore.TableFileBuilder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.TableFileSettings;
import java.nio.file.Path;

/**
 * Sealed files of this store.
 *
 * @param settings with which they are built
 */
record SealedLookups(TableFileSettings settings) implements LookupFile {

    static final String NAME = "bench.sealed";

    @Override
    public Building build(Path directory) {
        TableFileBuilder builder = TableFileBuilder.create(directory.resolve(NAME), settings);
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
        TableFile file = TableFile.open(directory.resolve(NAME));
        return new Open() {
            @Override
            public Lookup lookup() {
                return file::get;
            }

            @Override
            public Scans scans() {
                return (from, limit) -> {
                    int seen = 0;
                    try (Cursor cursor =
                            file.scan(KeyRange.all().from(from, true).limit(limit))) {
                        while (cursor.next()) {
                            cursor.key();
                            cursor.value();
                            seen++;
                        }
                    }
                    return seen;
                };
            }

            @Override
            public void close() {
                file.close();
            }
        };
    }
}

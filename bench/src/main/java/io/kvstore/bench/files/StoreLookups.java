package io.kvstore.bench.files;

import io.kvstore.bench.store.Contender;
import io.kvstore.bench.store.ContenderKind;
import io.kvstore.bench.store.Logging;
import io.kvstore.bench.store.Session;
import io.kvstore.bench.store.Shape;
import io.kvstore.bench.store.StoreSetup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A store with the entries of a file, filled without a log and opened again for reading.
 *
 * @param kind of the store
 */
record StoreLookups(ContenderKind kind) implements LookupFile {

    private static final long BUDGET_BYTES = 256 << 20;

    /** As many as a file of the comparison has at most; these stores need no such number. */
    private static final long ENTRIES = 100_000_000;

    private Contender contender(Path directory) throws IOException {
        Path home = Files.createDirectories(directory.resolve("store"));
        return kind.open(new StoreSetup(home, Logging.OFF, BUDGET_BYTES, false, Shape.WIDE, ENTRIES));
    }

    @Override
    public Building build(Path directory) throws IOException {
        Contender contender = contender(directory);
        Session session = contender.session();
        return new Building() {
            @Override
            public void put(byte[] key, byte[] value) throws IOException {
                session.put(key, value);
            }

            @Override
            public void close() throws IOException {
                try (contender) {
                    session.close();
                    contender.flush();
                }
            }
        };
    }

    @Override
    public Open open(Path directory) throws IOException {
        Contender contender = contender(directory);
        return new Open() {
            @Override
            public Lookup lookup() throws IOException {
                return contender.session()::get;
            }

            @Override
            public Scans scans() throws IOException {
                Session session = contender.session();
                return (from, limit) -> {
                    int[] seen = new int[1];
                    session.scan(from, limit, (key, value) -> seen[0]++);
                    return seen[0];
                };
            }

            @Override
            public void close() throws IOException {
                contender.close();
            }
        };
    }

    /** The file of LMDB is as long as its map. */
    @Override
    public boolean isSizeTold() {
        return kind != ContenderKind.LMDB;
    }

    @Override
    public List<String> jvmFlags() {
        return kind.jvmFlags();
    }
}

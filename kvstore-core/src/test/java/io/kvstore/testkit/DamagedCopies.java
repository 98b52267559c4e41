package io.kvstore.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Salvage;
import io.kvstore.SalvageReport;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Copies of a store that a test damages, and what a salvage makes of them: the table {@code t} of {@code db}. */
public final class DamagedCopies {

    private final Path sound;
    private final Path directory;
    private final String engine;
    private int made;

    /**
     * @param directory for the copies and the new stores
     * @param engine that of the table
     */
    public DamagedCopies(Path directory, String engine) {
        this(directory.resolve("sound"), directory, engine);
    }

    /**
     * @param sound the store that is copied
     * @param directory for the copies and the new stores
     * @param engine that of the table
     */
    public DamagedCopies(Path sound, Path directory, String engine) {
        this.sound = sound;
        this.directory = directory;
        this.engine = engine;
    }

    /** How the store is opened whose copies are damaged. Its log gives up segments early. */
    public static KVStoreOptions options() {
        return KVStoreOptions.defaults()
                .withDurability(Durability.BUFFERED)
                .withMemoryBytes(32 << 20)
                .withWalSegmentBytes(256 << 10);
    }

    /** Copies a store at rest, open or not. */
    public static void copy(Path from, Path to) throws IOException {
        DirectoryBytes.copy(from, to);
    }

    /** Where the test puts the store that is copied. */
    public Path sound() {
        return sound;
    }

    /** A new copy, to be damaged. */
    public Path damaged() throws IOException {
        Path copy = directory.resolve("damaged" + made++);
        copy(sound(), copy);
        return copy;
    }

    /** Flips a bit of a file. */
    public static void flip(Path file, long offset) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(offset);
            int old = bytes.read();
            bytes.seek(offset);
            bytes.write(old ^ 0x10);
        }
    }

    /**
     * A report, and the new store's entries.
     *
     * @param entries those of the table; none if there is no table
     */
    public record Salvaged(SalvageReport report, Map<String, byte[]> entries) {

        /** What the report says of losses. */
        public String losses() {
            return report.losses().kept().stream()
                    .map(Findings.Finding::toString)
                    .collect(Collectors.joining("\n"));
        }
    }

    /** Salvages, and checks that the source has not changed, and that the new store is sound. */
    public Salvaged salvage(Path damaged) throws IOException {
        DirectoryBytes before = DirectoryBytes.of(damaged);
        Path target = directory.resolve("new" + made++);
        SalvageReport report = Salvage.run(damaged, target, Progress.NONE);
        before.requireSame(damaged);
        Map<String, byte[]> entries = new HashMap<>();
        try (KVStore store = new KVStore(target, KVStoreOptions.defaults().withMemoryBytes(32 << 20))) {
            if (store.databases().contains("db") && store.tables("db").contains("t")) {
                Table table = store.table("db", "t");
                assertEquals(engine, table.engineName());
                try (Cursor cursor = table.scan(KeyRange.all())) {
                    while (cursor.next()) {
                        entries.put(new String(cursor.key(), UTF_8), cursor.value());
                    }
                }
                assertEquals(List.of(), table.verify().kept());
            }
        }
        return new Salvaged(report, entries);
    }
}

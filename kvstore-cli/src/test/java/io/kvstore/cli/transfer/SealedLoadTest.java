package io.kvstore.cli.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.cli.dump.Contents;
import io.kvstore.cli.dump.DumpSource;
import io.kvstore.cli.dump.TableDefinition;
import io.kvstore.client.KVClient;
import io.kvstore.client.embedded.EmbeddedClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loads of sealed tables, whose files are built on the way. */
final class SealedLoadTest {

    private final Console console = new Console(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            OutputStream.nullOutputStream(),
            new Terminals(false, false, false),
            System::nanoTime);

    /** Its disk has to have room for the table anyway, and the system's temporary directory may be small. */
    @Test
    void the_file_of_a_sealed_table_is_built_in_the_directory_of_the_store(@TempDir Path directory) throws Exception {
        Set<String> seen = new TreeSet<>();
        List<TableDefinition> tables = Stream.of("a sealed", "b bplus", "c sealed", "e sealed", "f bplus")
                .map(word -> word.split(" ", 2))
                .map(words -> new TableDefinition("d", words[0], words[1], true, new TreeMap<>()))
                .toList();
        DumpSource dump = new Entries(new Contents(List.of("d"), tables), 14, () -> {
            try (Stream<Path> files = Files.walk(directory)) {
                files.forEach(file -> seen.add(String.valueOf(directory.relativize(file))));
            }
        });
        try (KVStore target = new KVStore(directory, KVStoreOptions.defaults());
                KVClient here = EmbeddedClient.over(target)) {
            LoadRun run = new LoadRun(here, target, dump, new ProgressLine(console, true), console);
            run.load(dump.contents().databases(), dump.contents().tables(), () -> 0);
            assertEquals(14, run.entries());
            List<Long> counts = Stream.of("a", "b", "c", "e", "f")
                    .map(name -> here.table("d", name).count())
                    .toList();
            assertEquals(List.of(3L, 4L, 4L, 0L, 3L), counts);
        }
        assertTrue(seen.stream().anyMatch(name -> name.startsWith("tables") && name.endsWith(".tmp")), seen::toString);
    }

    /** What a test does before each entry. */
    @FunctionalInterface
    private interface Look {
        void look() throws IOException;
    }

    /** A dump whose tables have four entries each; the first has one less, and one of them has none. */
    private static final class Entries implements DumpSource {

        private final Contents contents;
        private final int count;
        private final Look before;
        private int at;

        Entries(Contents contents, int count, Look before) {
            this.contents = contents;
            this.count = count;
            this.before = before;
        }

        @Override
        public Contents contents() {
            return contents;
        }

        @Override
        public void setMostValueBytes(long bytes) {}

        @Override
        public boolean next() throws IOException {
            before.look();
            return ++at <= count;
        }

        @Override
        public int table() {
            return at / 4 < 3 ? at / 4 : 4;
        }

        @Override
        public byte[] key() {
            return new byte[] {(byte) at};
        }

        @Override
        public byte[] value() {
            return new byte[0];
        }

        @Override
        public void close() {}
    }
}

package io.kvstore.sealed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.TableFile;
import io.kvstore.TableFileBuilder;
import io.kvstore.data.KeyRange;
import io.kvstore.error.StoreClosedException;
import io.kvstore.io.RealStorage;
import io.kvstore.testkit.Sweeps;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers of a table whose file is replaced all the time. */
@Tag("races")
final class SwapRaceTest {

    private static final int READERS = 16;
    private static final int SWAPS = Sweeps.count(50, 100);
    private static final int ENTRIES = 2_000;

    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    @TempDir
    private Path directory;

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicLong reads = new AtomicLong();

    /** Keys and values of different generations lie at different places. */
    private Path build(int generation) {
        Path file = directory.resolve("generation" + generation % 2 + ".sealed");
        try (TableFileBuilder builder = TableFileBuilder.create(file)) {
            for (int i = 0; i < ENTRIES; i++) {
                builder.put(key(i), value(generation, i));
            }
            builder.finish();
        }
        return file;
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(int generation, int number) {
        ByteBuffer value = ByteBuffer.allocate(8 + (generation * 7 + number) % 50);
        return value.putInt(generation).putInt(number).array();
    }

    @Test
    void readers_through_many_swaps() throws Exception {
        RealStorage storage = new RealStorage(directory.resolve("store"));
        KVStoreOptions options = KVStoreOptions.defaults().withStorage(storage);
        try (KVStore store = new KVStore(directory.resolve("store"), options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "SEALED", new Properties());
            table.files().swap(build(0));
            int before = storage.openResources();
            swapUnderReaders(table);
            awaitOpenResources(storage, before);
        }
        assertEquals(0, storage.openResources());
    }

    /** Beside what the storage counts: what the system says of this process. */
    @Test
    void mappings_and_descriptors_of_old_files_do_not_stay() throws Exception {
        assumeTrue(Files.exists(MAPS), "there is no " + MAPS);
        RealStorage storage = new RealStorage(directory.resolve("store"));
        KVStoreOptions options = KVStoreOptions.defaults().withStorage(storage);
        try (KVStore store = new KVStore(directory.resolve("store"), options)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "SEALED", new Properties());
            table.files().swap(build(0));
            int resources = storage.openResources();
            long mappings = mappings();
            long descriptors = descriptors();
            assertTrue(mappings > 0 && descriptors > 0, mappings + " mappings and " + descriptors + " descriptors");
            swapUnderReaders(table);
            awaitOpenResources(storage, resources);
            assertEquals(mappings, mappings());
            assertEquals(descriptors, descriptors());
        }
    }

    /** How many parts of files of the table this process has mapped, those that were deleted included. */
    private long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(MAPS, UTF_8)) {
            return lines.filter(this::isOfTable).count();
        }
    }

    /** How many descriptors of files of the table this process has. */
    private long descriptors() throws IOException {
        long found = 0;
        try (DirectoryStream<Path> links = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path link : links) {
                try {
                    found += isOfTable(Files.readSymbolicLink(link).toString()) ? 1 : 0;
                } catch (NoSuchFileException e) {
                    // the descriptor of the listing itself, or of a thread that closed its file
                }
            }
        }
        return found;
    }

    private boolean isOfTable(String line) {
        return line.contains(directory.toString()) && line.contains(".sealed");
    }

    private void swapUnderReaders(Table table) throws InterruptedException {
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            int seed = i;
            readers.add(Thread.ofPlatform().start(() -> read(table, new Random(seed))));
        }
        for (int generation = 1; generation <= SWAPS && failure.get() == null; generation++) {
            long wanted = reads.get() + READERS;
            table.files().swap(build(generation));
            while (reads.get() < wanted && failure.get() == null) {
                Thread.onSpinWait(); // so that all generations are read
            }
        }
        stop.set(true);
        for (Thread reader : readers) {
            reader.join();
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new AssertionError("a reader failed: " + failed, failed);
        }
    }

    /** Calls beside the closing return an entry or say that the file was closed. */
    @Test
    void a_table_file_is_closed_beside_its_readers() throws Exception {
        Path path = build(0);
        for (int round = 0; round < Sweeps.count(25, 50) && failure.get() == null; round++) {
            TableFile file = TableFile.open(path);
            List<Thread> readers = new ArrayList<>();
            long wanted = reads.get() + 1_000;
            for (int i = 0; i < 4; i++) {
                int seed = i;
                readers.add(Thread.ofPlatform().start(() -> readUntilClosed(file, new Random(seed))));
            }
            while (reads.get() < wanted && failure.get() == null) {
                Thread.onSpinWait();
            }
            file.close();
            for (Thread reader : readers) {
                reader.join();
            }
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new AssertionError("a reader failed: " + failed, failed);
        }
    }

    private void readUntilClosed(TableFile file, Random random) {
        try {
            while (true) {
                int number = random.nextInt(ENTRIES);
                assertArrayEquals(value(0, number), file.get(key(number)));
                Cursor cursor = file.scan(KeyRange.all().from(key(number), true));
                assertTrue(cursor.next());
                assertArrayEquals(value(0, number), cursor.value());
                reads.incrementAndGet();
            }
        } catch (StoreClosedException e) {
            // as it should be
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Old files are closed in the background, one after the other. */
    private static void awaitOpenResources(RealStorage storage, int wanted) {
        long end = System.nanoTime() + 60_000_000_000L;
        while (storage.openResources() != wanted && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertEquals(wanted, storage.openResources());
    }

    private void read(Table table, Random random) {
        try {
            int newest = 0;
            while (!stop.get()) {
                int generation = random.nextInt(4) == 0 ? scan(table, random) : get(table, random);
                assertTrue(generation >= newest, () -> "an old file came back: " + generation);
                newest = generation;
                reads.incrementAndGet();
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private static int get(Table table, Random random) {
        int number = random.nextInt(ENTRIES);
        byte[] value = table.get(key(number));
        int generation = ByteBuffer.wrap(value).getInt();
        assertArrayEquals(value(generation, number), value);
        return generation;
    }

    /** All of a scan is of one file. */
    private static int scan(Table table, Random random) {
        int number = random.nextInt(ENTRIES - 100);
        int generation = -1;
        try (Cursor cursor = table.scan(KeyRange.all().from(key(number), true).limit(100))) {
            for (int i = number; i < number + 100; i++) {
                assertTrue(cursor.next());
                int found = ByteBuffer.wrap(cursor.value()).getInt();
                generation = generation < 0 ? found : generation;
                assertArrayEquals(value(generation, i), cursor.value());
            }
        }
        return generation;
    }
}

package io.kvstore.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Workers;
import io.kvstore.error.Notices;
import io.kvstore.io.NoSpaceException;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Packs have their parts in order, whichever thread writes them. A failure of any operation ends the backup. */
final class PackWriterTest {

    private static final Logger QUIET = Logger.getLogger(Notices.class.getPackageName());
    private static final int MIB = 1 << 20;
    private static final ExecutorService THREADS = Executors.newFixedThreadPool(2);

    /** The parts begin at different places of these bytes, so no two of them are alike. */
    private static final byte[] RANDOM = new byte[2 * MIB];

    /** Made once of each part, since code that is not optimized takes long for them. */
    private static final Map<Integer, PartHash> HASHES = new HashMap<>();

    /** The threads that write in the background. */
    enum Ahead {
        A_THREAD(THREADS::execute),
        AT_ONCE(Runnable::run),
        NOBODY(task -> {
            throw new RejectedExecutionException("no thread");
        }),
        NEVER(task -> {});

        private final Workers workers;

        Ahead(Workers workers) {
            this.workers = workers;
        }
    }

    @BeforeAll
    static void silence() {
        QUIET.setLevel(Level.OFF);
        new SplittableRandom(1).nextBytes(RANDOM);
    }

    @AfterAll
    static void end() {
        QUIET.setLevel(null);
        THREADS.shutdownNow();
    }

    private static ByteBuffer bytes(int index, int length) {
        return ByteBuffer.wrap(RANDOM, index * 1_001, length).slice();
    }

    private static PartHash hash(int index, ByteBuffer bytes) {
        return HASHES.computeIfAbsent(index * 2 * MIB + bytes.remaining(), any -> PartHash.of(bytes));
    }

    private static SimStorage repository() throws IOException {
        SimStorage disk = new SimStorage();
        disk.createDirectory(Pack.DIRECTORY);
        disk.syncDirectory("");
        return disk;
    }

    /** Lengths of parts that leave a block, and a pack, before, at and behind its end. */
    private static List<Integer> lengths() {
        List<Integer> lengths = new ArrayList<>();
        int first = 2 * MIB - Pack.HEADER_BYTES - 2 * Pack.PART_HEAD_BYTES - MIB;
        lengths.addAll(List.of(MIB, first - 1, 1, 1, MIB));
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 70; i++) {
            lengths.add(i % 3 == 0 ? MIB - Pack.PART_HEAD_BYTES : 1 + random.nextInt(MIB));
        }
        for (int i = 0; i < 25; i++) {
            lengths.add(MIB);
        }
        return lengths;
    }

    @ParameterizedTest
    @EnumSource
    void parts_are_durable_where_they_are_said_to_be(Ahead ahead) throws IOException {
        SimStorage disk = repository();
        List<Integer> lengths = lengths();
        List<StoredFile.Part> parts = new ArrayList<>();
        Map<Long, Long> packs;
        try (PackWriter writer = new PackWriter(disk, 4, ahead.workers)) {
            for (int i = 0; i < lengths.size(); i++) {
                ByteBuffer bytes = bytes(i, lengths.get(i));
                parts.add(writer.add(hash(i, bytes), bytes));
            }
            packs = writer.finish();
            writer.keep();
        }
        assertEquals(List.of(5L, 6L), packs.keySet().stream().toList());
        SimStorage after = disk.crash(new CrashChoice.DropAll());
        for (Map.Entry<Long, Long> pack : packs.entrySet()) {
            assertEquals(pack.getValue(), after.size(Pack.path(pack.getKey())));
        }
        ByteBuffer found = ByteBuffer.allocate(StoredFile.PART_BYTES);
        for (int i = 0; i < parts.size(); i++) {
            StoredFile.Part part = parts.get(i);
            try (Pack.Reader reader = new Pack.Reader(after, part.pack())) {
                reader.part(part.offset(), reader.head(part.offset()), found);
            }
            assertEquals(bytes(i, lengths.get(i)), found, "part " + i);
        }
        assertEquals(0, disk.openResources());
    }

    @ParameterizedTest
    @EnumSource
    void what_fails_leaves_nothing(Ahead ahead) throws IOException {
        boolean more = true;
        for (int at = 0; more; at++) {
            SimStorage disk = repository();
            FaultyStorage faulty = new FaultyStorage(disk);
            faulty.arm(FaultPlan.diskFull(at));
            if (writes(faulty, ahead)) {
                more = false;
                assertTrue(at > 3, at + " operations");
            } else {
                assertEquals(List.of(), disk.files(), "operation " + at);
            }
            assertEquals(0, disk.openResources());
        }
    }

    /** Whether the disk was never full. */
    private static boolean writes(FaultyStorage faulty, Ahead ahead) throws IOException {
        try (PackWriter writer = new PackWriter(faulty, 0, ahead.workers)) {
            @Nullable IOException failure = null;
            try {
                for (int i = 0; i < 7; i++) {
                    writer.add(hash(i, bytes(i, MIB)), bytes(i, MIB));
                }
                writer.finish();
                writer.keep();
            } catch (IOException e) {
                failure = e;
            }
            faulty.disarm();
            if (faulty.failed() == 0) {
                return true;
            }
            assertInstanceOf(NoSpaceException.class, failure);
            return false;
        }
    }
}

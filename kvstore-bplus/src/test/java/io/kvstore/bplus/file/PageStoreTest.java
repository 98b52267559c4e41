package io.kvstore.bplus.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.ByteReader;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.KVStoreException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.Operation;
import io.kvstore.testkit.Seeds;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.Sweeps;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Checkpoints of made-up pages, and what crashes, failures and damage leave of them. */
final class PageStoreTest {

    private static final int TAG = 9;
    private static final String PATH = "t/" + PageStore.NAME;

    private static final int FILLED_FROM = 16;
    private static final int MOST_UNITS = 5;

    private final SimStorage disk = new SimStorage();

    /** What the pages hold at each checkpoint: a number for each id. */
    private final Map<Long, Map<Long, Long>> states = new HashMap<>();

    @BeforeEach
    void makeTable() throws IOException {
        disk.createDirectory("t");
        disk.syncDirectory("");
        PageStore.create(disk, "t", TAG);
        states.put(0L, new HashMap<>());
    }

    private static PageStore open(Storage storage) throws IOException {
        StorageFile file = storage.open(PATH);
        boolean opened = false;
        try {
            PageStore pageStore = PageStore.open(file, TAG);
            opened = true;
            return pageStore;
        } finally {
            if (!opened) {
                file.close();
            }
        }
    }

    private static MemorySegment page(long content, int units) {
        MemorySegment page = MemorySegment.ofArray(new byte[units * PageFile.UNIT_BYTES]);
        page.asSlice(FILLED_FROM).fill((byte) content);
        page.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, content);
        return page;
    }

    private static int units(long content) {
        return 1 + (int) (content % 3 == 0 ? content % 5 : 0);
    }

    /** Writes pages and a checkpoint of them; the lsn says which. Keeps in {@code old} what the checkpoint replaced. */
    private static void checkpoint(PageStore pageStore, Map<Long, Long> now, Map<Long, Long> wanted, long lsn)
            throws IOException {
        List<Long> replaced = new ArrayList<>();
        List<Long> written = new ArrayList<>();
        Map<Long, Long> before = new HashMap<>();
        boolean committed = false;
        try {
            for (long id = 1; id <= 3_000; id++) {
                Long content = wanted.get(id);
                if (!Objects.equals(content, now.get(id))) {
                    long old = pageStore.location(id);
                    before.put(id, old);
                    if (old != 0) {
                        replaced.add(old);
                    }
                    long location = content == null ? 0 : pageStore.pages().write(id, page(content, units(content)));
                    if (location != 0) {
                        written.add(location);
                    }
                    pageStore.set(id, location);
                }
            }
            long root =
                    wanted.keySet().stream().mapToLong(Long::longValue).min().orElse(0);
            Superblock next = new Superblock(1, lsn, root, 4_000, wanted.size(), 0, List.of());
            pageStore.commit(next, values(lsn), LoneTable.NO_LOG);
            committed = true;
        } finally {
            if (!committed) {
                before.forEach(pageStore::set);
            }
            (committed ? replaced : written).forEach(pageStore.pages()::free);
        }
        pageStore.truncate();
    }

    /** What a checkpoint says of values: nothing, the same as the one before, or something of up to three units. */
    private static byte[] values(long lsn) {
        byte[] values = new byte[(int) (lsn / 2 * 777 % 9_000)];
        Arrays.fill(values, (byte) (lsn / 2 | 1));
        return values;
    }

    private static Map<Long, Long> change(SplittableRandom random, Map<Long, Long> now) {
        Map<Long, Long> wanted = new HashMap<>(now);
        for (int i = random.nextInt(30); i >= 0; i--) {
            long id = random.nextLong(1, random.nextInt(4) == 0 ? 3_000 : 60);
            if (random.nextInt(3) == 0) {
                wanted.remove(id);
            } else {
                wanted.put(id, random.nextLong(1, 1L << 40));
            }
        }
        return wanted;
    }

    private static Map<Long, Long> contentOf(PageStore pageStore) throws IOException {
        byte[] values = values(pageStore.newest().lsn());
        ByteReader foundValues = pageStore.values();
        assertArrayEquals(values, foundValues.raw(values.length));
        assertEquals(values.length > 0, pageStore.newest().values() != 0);
        Map<Long, Long> found = new HashMap<>();
        MemorySegment room = MemorySegment.ofArray(new byte[MOST_UNITS * PageFile.UNIT_BYTES]);
        for (long id = 0; id < pageStore.endOfIds(); id++) {
            long location = pageStore.location(id);
            if (location != 0) {
                MemorySegment page = room.asSlice(0, (long) Location.units(location) * PageFile.UNIT_BYTES);
                pageStore.pages().read(id, location, page);
                long content = page.get(ValueLayout.JAVA_LONG_UNALIGNED, 8);
                assertEquals(units(content), Location.units(location), "page " + id);
                assertEquals((byte) content, page.get(ValueLayout.JAVA_BYTE, FILLED_FROM), "page " + id);
                assertTrue(isFilledWithOneByte(page), "page " + id);
                found.put(id, content);
            }
        }
        return found;
    }

    /** Compares each byte with its successor: this needs no second page, and there are millions of pages to look at. */
    private static boolean isFilledWithOneByte(MemorySegment page) {
        long length = page.byteSize() - FILLED_FROM - 1;
        return page.asSlice(FILLED_FROM, length).mismatch(page.asSlice(FILLED_FROM + 1, length)) == -1;
    }

    private void check(Storage storage) throws IOException {
        try (PageStore pageStore = open(storage)) {
            assertEquals(states.get(pageStore.newest().lsn()), contentOf(pageStore));
            assertEquals(
                    Objects.requireNonNull(states.get(pageStore.newest().lsn())).size(),
                    pageStore.newest().entries());
        }
    }

    @Test
    void checkpoints_come_back_and_space_too() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        Map<Long, Long> now = new HashMap<>();
        for (long lsn = 1; lsn <= 200; lsn++) {
            try (PageStore pageStore = open(disk)) {
                Map<Long, Long> wanted = lsn == 200 ? new HashMap<>() : change(random, now);
                checkpoint(pageStore, now, wanted, lsn);
                now = wanted;
                states.put(lsn, now);
                long live =
                        now.values().stream().mapToLong(PageStoreTest::units).sum();
                // what the last one wrote of values lies behind all that it removed
                assertTrue(
                        lsn == 200 || pageStore.pages().file().size() <= 4_096 * (3 * live + 400),
                        pageStore.pages().file().size() + " bytes for " + live + " units");
            }
            check(disk);
        }
        try (PageStore pageStore = open(disk)) {
            checkpoint(pageStore, now, now, 201);
            assertTrue(
                    pageStore.pages().file().size() <= 4_096 * 13,
                    pageStore.pages().file().size() + " bytes for nothing");
        }
        assertEquals(0, disk.openResources());
    }

    /** At every operation in every way, of a short history, and of three longer ones with {@code -Dkv.fault.all=true}. */
    @Test
    void power_cut_at_every_operation() {
        Seeds.each(1, Sweeps.count(1, 3), seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            states.clear();
            SimStorage storage = new SimStorage();
            storage.createDirectory("t");
            storage.syncDirectory("");
            PageStore.create(storage, "t", TAG);
            states.put(0L, new HashMap<>());
            int[] crashes = {0};
            storage.observe(() -> {
                for (CrashChoice choice : CrashChoice.enumerate(storage.pendingOperations(), 3, storage.operations())) {
                    crash(storage, choice);
                    crashes[0]++;
                }
            });
            Map<Long, Long> now = new HashMap<>();
            try (PageStore pageStore = open(storage)) {
                for (long lsn = 1; lsn <= Sweeps.count(15, 25); lsn++) {
                    Map<Long, Long> wanted = change(random, now);
                    states.put(lsn, wanted);
                    checkpoint(pageStore, now, wanted, lsn);
                    now = wanted;
                }
            }
            assertTrue(crashes[0] > 500, crashes[0] + " crashes");
        });
    }

    private void crash(SimStorage storage, CrashChoice choice) {
        try {
            check(storage.crash(choice));
        } catch (IOException | KVStoreException e) {
            throw new AssertionError("after " + choice, e);
        }
    }

    /** A full disk leaves everything as it was. */
    @Test
    void failures_at_every_operation() throws IOException {
        SplittableRandom random = new SplittableRandom(4);
        FaultyStorage faulty = new FaultyStorage(disk);
        Map<Long, Long> now = new HashMap<>();
        int refused = 0;
        try (PageStore pageStore = open(faulty)) {
            for (long lsn = 1; lsn <= 150; lsn++) {
                Map<Long, Long> wanted = change(random, now);
                long before = pageStore.pages().places().takenUnits();
                faulty.arm(new FaultPlan(
                        EnumSet.of(Operation.WRITE), random.nextInt(10), false, FaultPlan.Fault.NO_SPACE));
                try {
                    checkpoint(pageStore, now, wanted, lsn);
                    now = wanted;
                } catch (NoSpaceException e) {
                    refused++;
                    assertEquals(before, pageStore.pages().places().takenUnits());
                } finally {
                    faulty.disarm();
                }
                assertEquals(now, contentOf(pageStore));
                states.put(pageStore.newest().lsn(), now);
                check(disk);
            }
        }
        assertTrue(refused > 0, "no disk was full");
    }

    @Test
    void every_kind_of_damage_is_noticed() throws IOException {
        SplittableRandom random = new SplittableRandom(6);
        Map<Long, Long> now = new HashMap<>();
        try (PageStore pageStore = open(disk)) {
            for (long lsn = 1; lsn <= 6; lsn++) {
                Map<Long, Long> wanted = change(random, now);
                checkpoint(pageStore, now, wanted, lsn);
                now = wanted;
                states.put(lsn, now);
            }
        }
        byte[] bytes = disk.bytes(PATH);
        int noticed = 0;
        for (int i = 0; i < 3_000; i++) {
            byte[] damaged = bytes.clone();
            damaged[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            disk.replace(PATH, damaged);
            try {
                check(disk);
            } catch (CorruptionException | io.kvstore.error.StorageException e) {
                noticed++;
            }
        }
        assertTrue(noticed > 500, noticed + " of 3,000 flips hit something that is in use");
        assertEquals(0, disk.openResources());
        disk.replace(PATH, bytes);
        CorruptionException failure = assertThrows(CorruptionException.class, () -> {
            try (StorageFile file = disk.open(PATH)) {
                PageStore.open(file, TAG + 1);
            }
        });
        assertTrue(String.valueOf(failure.getMessage()).contains("table 9"), failure.getMessage());
    }

    /** An older page of the same id in the place of a newer one has a right checksum, and is noticed all the same. */
    @Test
    void lost_write_is_noticed() throws IOException {
        try (PageStore pageStore = open(disk)) {
            long first = pageStore.pages().write(5, page(1, 1));
            byte[] old = disk.bytes(PATH);
            pageStore.pages().free(first);
            long second = pageStore.pages().write(5, page(2, 1));
            assertEquals(Location.place(first), Location.place(second));
            disk.replace(PATH, old);
            MemorySegment target = page(0, 1);
            CorruptionException failure = assertThrows(
                    CorruptionException.class, () -> pageStore.pages().read(5, second, target));
            assertTrue(String.valueOf(failure.getMessage()).contains("written there last"), failure.getMessage());
            pageStore.pages().read(5, first, target);
            assertThrows(CorruptionException.class, () -> pageStore.pages().read(6, first, target));
        }
    }

    /** A page that is written while the file's end is looked for would be cut off: no place may be given meanwhile. */
    @Test
    void no_place_is_given_while_the_end_is_cut_off() throws IOException {
        try (PageStore pageStore = open(disk)) {
            long first = pageStore.pages().write(7, page(1, 1));
            long last = pageStore.pages().write(8, page(2, 1));
            pageStore.pages().free(last);
            boolean[] cut = {false};
            disk.observe(() -> {
                cut[0] = true;
                assertTrue(Thread.holdsLock(pageStore.pages().places()), "a place could be given now");
            });
            pageStore.truncate();
            assertTrue(cut[0], "nothing was cut off");
            disk.observe(() -> {});
            pageStore.pages().read(7, first, page(0, 1));
        }
    }
}

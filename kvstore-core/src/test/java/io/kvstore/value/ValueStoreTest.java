package io.kvstore.value;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.ByteReader;
import io.kvstore.data.Mutation;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.value.segment.Probe;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueRecord;
import io.kvstore.value.segment.ValueSegmentList;
import io.kvstore.value.segment.ValueSegmentUse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ValueStoreTest {

    private static final int SEGMENT_BYTES = 8 << 10;
    private static final ValueStore.Sizes SIZES = new ValueStore.Sizes(SEGMENT_BYTES, SEGMENT_BYTES);

    private final StepClock clock = new StepClock();
    private final StepBackground background = new StepBackground(clock);
    private final MemoryBudget memory = new MemoryBudget(1 << 20, 1 << 20);
    private SimStorage disk = new SimStorage();

    /** What a store should hold: the newest value of each key, and where it is. */
    private record Kept(ValuePointer pointer, byte[] value) {}

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectory("t");
        disk.syncDirectory("");
    }

    private TableContext context() {
        return LoneTable.on(disk, memory, clock, background);
    }

    private ValueStore open(ValueSegmentList list) throws IOException {
        return ValueStore.open(context(), SIZES, list);
    }

    private static byte[] key(int number) {
        return ("key " + number).getBytes(StandardCharsets.UTF_8);
    }

    private static void put(ValueStore store, Map<Integer, Kept> model, int number, byte[] value) {
        store.log().reserve(List.of(new Mutation.Put(key(number), value)), 0);
        ValuePointer pointer = store.append(key(number), number, value);
        release(store, model, number);
        model.put(number, new Kept(pointer, value));
    }

    private static void release(ValueStore store, Map<Integer, Kept> model, int number) {
        Kept old = model.remove(number);
        if (old != null) {
            store.release(old.pointer, key(number).length);
        }
    }

    private static void check(ValueStore store, Map<Integer, Kept> model) throws IOException {
        long live = 0;
        for (Map.Entry<Integer, Kept> one : model.entrySet()) {
            Kept kept = one.getValue();
            assertArrayEquals(kept.value, store.log().read(kept.pointer, key(one.getKey())));
            live += kept.pointer.recordBytes(key(one.getKey()).length);
            checkPlace(store, one.getKey(), kept);
        }
        assertEquals(live, store.liveBytes());
        assertEquals(
                live,
                store.list(Map.of()).segments().stream()
                        .mapToLong(ValueSegmentUse::liveBytes)
                        .sum());
        checkSpace(store);
    }

    /** The record is found by its place alone, in memory, mapped or read by position. */
    private static void checkPlace(ValueStore store, int number, Kept kept) throws IOException {
        long segment = kept.pointer.segment();
        long offset = kept.pointer.offset();
        ValueRecord record = Objects.requireNonNull(store.log().record(segment, offset));
        assertArrayEquals(key(number), record.key());
        assertArrayEquals(kept.value, record.value());
        assertEquals(number, record.lsn());
        ValueRecord.Head head = Objects.requireNonNull(store.log().head(segment, offset));
        assertArrayEquals(key(number), head.key());
        assertEquals(kept.value.length, head.valueLength());
        assertEquals(number, head.lsn());
        Probe probe = new Probe();
        Probe.Answer answer = store.log().tryProbe(segment, offset, key(number), probe);
        if (answer == Probe.Answer.SAME_KEY) {
            assertEquals(kept.value.length, probe.valueLength());
            assertEquals(number, probe.lsn());
            assertEquals(Probe.Answer.OTHER_KEY, store.log().tryProbe(segment, offset, key(number + 1), probe));
            assertEquals(Probe.Answer.OTHER_KEY, store.log().tryProbe(segment, offset, new byte[60_000], probe));
        } else {
            assertEquals(Probe.Answer.UNKNOWN, answer);
        }
        checkTouch(store, segment, offset);
        assertNull(store.log().record(store.nextNumber(), offset));
        assertNull(store.log().head(store.nextNumber(), offset));
        assertEquals(Probe.Answer.UNKNOWN, store.log().tryProbe(store.nextNumber(), offset, key(number), probe));
    }

    /** Heads are prefetched where they are mapped. Places behind the end and in segments that have gone are passed over. */
    private static void checkTouch(ValueStore store, long segment, long offset) {
        int alone = store.log().touchHeads(new long[] {segment}, new long[] {offset}, 1);
        long[] numbers = {segment, segment, store.nextNumber(), segment};
        long[] offsets = {offset, Integer.MAX_VALUE, offset, offset};
        assertEquals(2 * alone, store.log().touchHeads(numbers, offsets, numbers.length));
        assertEquals(alone, store.log().touchHeads(numbers, offsets, numbers.length - 1));
    }

    private static List<Long> emptied(ValueStore store) {
        List<Long> numbers = new ArrayList<>();
        store.takeEmptied(numbers::add);
        return numbers;
    }

    /** Every byte of every segment is alive, dead, or of older states only. */
    private static void checkSpace(ValueStore store) {
        List<Long> all = LongStream.range(0, store.nextNumber()).boxed().toList();
        assertEquals(store.bytesOf(all), store.liveBytes() + store.deadBytes() + store.pinnedBytes());
    }

    private static ValueSegmentList checkpoint(ValueStore store) throws IOException {
        store.takeEmptied(store::unlink);
        ValueSegmentList list = store.capture(Map.of());
        store.persist(list);
        store.committed(store.lease(list));
        ValueSegmentList read = ValueSegmentList.read(new ByteReader("list", Arrays.copyOf(list.toBytes(), 9_000)));
        assertEquals(list, read);
        return list;
    }

    /** The segment that grows, and one that is emptied, may be dead as a whole: so a segment is small beside the live bytes. */
    @Test
    void segments_are_an_eighth_of_what_is_alive_between_bounds() throws IOException {
        long least = 8 << 10;
        long most = 64 << 10;
        Map<Integer, Kept> model = new HashMap<>();
        try (ValueStore store = ValueStore.open(context(), new ValueStore.Sizes(least, most), ValueSegmentList.EMPTY)) {
            for (int i = 0; i < 1_000; i++) {
                put(store, model, i, new byte[1_000]);
                assertEquals(Math.clamp(store.liveBytes() / 8, least, most), store.segmentBytes());
                store.log().write();
            }
            store.log().seal();
            long largest = store.sealed().stream()
                    .mapToLong(use -> use.info().bytes())
                    .max()
                    .orElseThrow();
            assertTrue(largest > most / 2 && largest <= most, largest + " bytes in a segment");
        }
    }

    /** What nobody reads is written past the cache in blocks, each padded to a sector. */
    @Test
    void padding_between_blocks_is_dead() throws IOException {
        int segmentBytes = 8 << 20;
        TableContext context = LoneTable.on(disk, new MemoryBudget(64 << 20), clock, background);
        Map<Integer, Kept> model = new HashMap<>();
        try (ValueStore store =
                ValueStore.open(context, new ValueStore.Sizes(segmentBytes, segmentBytes), ValueSegmentList.EMPTY)) {
            for (int i = 0; i < 300; i++) {
                put(store, model, i % 20, new byte[(100 << 10) + i]);
                store.log().write();
                checkSpace(store);
            }
            assertTrue(store.log().uncachedBytes() > 8 << 20, store.log().uncachedBytes() + " bytes in blocks");
            checkpoint(store);
            checkSpace(store);
        }
    }

    @Test
    void values_survive_what_the_list_survives_and_space_comes_back() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        Map<Integer, Kept> model = new HashMap<>();
        Map<Integer, Kept> durable = new HashMap<>();
        ValueSegmentList list = ValueSegmentList.EMPTY;
        ValueStore store = open(list);
        for (int i = 1; i <= 6_000; i++) {
            int number = random.nextInt(60);
            byte[] value = new byte[random.nextInt(50) == 0 ? random.nextInt(3 * SEGMENT_BYTES) : random.nextInt(300)];
            random.nextBytes(value);
            if (random.nextInt(5) == 0) {
                release(store, model, number);
            } else {
                put(store, model, number, value);
            }
            if (random.nextInt(40) == 0) {
                store.log().write();
                assertEquals(0, store.log().waitingBytes());
            }
            if (random.nextInt(200) == 0) {
                list = checkpoint(store);
                durable = new HashMap<>(model);
                int files = disk.list("t").size();
                assertTrue(
                        files <= store.log().segments().size()
                                && files <= list.segments().size() + 1,
                        files + " files");
            }
            if (random.nextInt(500) == 0) {
                check(store, model);
                disk = random.nextBoolean() ? disk.kill() : disk.crash(new CrashChoice.Random(i, random.nextBoolean()));
                store = open(list);
                model = new HashMap<>(durable);
                store.log().recovered();
                check(store, model);
                Findings findings = new Findings();
                store.log().verify(store.log().segments(), findings);
                assertEquals(List.of(), findings.kept());
                assertEquals(list.segments().size(), disk.list("t").size(), "what is not listed is deleted");
            }
        }
        store.close();
        assertEquals(0, disk.openResources());
    }

    /** What was written before a kill is written again, over the same pages, and nothing of before can be read there. */
    @Test
    void files_that_a_crash_left_are_used_again() throws IOException {
        ValueSegmentList empty = ValueSegmentList.EMPTY;
        Map<Integer, Kept> lost = new HashMap<>();
        ValueStore killed = open(empty);
        for (int i = 0; i < 60; i++) {
            put(killed, lost, i, new byte[500]);
        }
        killed.log().write();
        List<String> left = disk.list("t");
        assertTrue(left.size() > 3, left.toString());
        disk = disk.kill();

        ValueStore store = open(empty);
        Map<Integer, Kept> model = new HashMap<>();
        int files = left.size();
        for (int i = 0; i < 25; i++) {
            put(store, model, 100 + i, new byte[450]);
        }
        store.log().write();
        assertEquals(files, disk.list("t").size(), "files were made beside those that were left");
        check(store, model);
        for (Map.Entry<Integer, Kept> one : lost.entrySet()) {
            assertNull(store.log().read(one.getValue().pointer, key(one.getKey())));
        }
        store.log().seal();
        ValueSegmentList list = checkpoint(store);
        assertEquals(files, disk.list("t").size());
        store.log().recovered();
        assertEquals(list.segments().size(), disk.list("t").size());
        long bytes = 0;
        for (String name : disk.list("t")) {
            bytes += disk.bytes("t/" + name).length;
        }
        assertEquals(
                list.segments().stream().mapToLong(use -> use.info().bytes()).sum(), bytes, "ends of before are left");
        disk = disk.crash(new CrashChoice.DropAll());
        check(open(list), model);
    }

    /** A sync takes long; what is put meanwhile is written by another thread, and synced by the checkpoint after it. */
    @Test
    void values_are_written_while_others_are_synced() throws IOException {
        Map<Integer, Kept> model = new HashMap<>();
        AtomicReference<@Nullable ValueStore> opened = new AtomicReference<>();
        AtomicBoolean isFirst = new AtomicBoolean(true);
        Storage hooked = HookedStorage.over(disk, (name, path, proceed) -> {
            Object result = proceed.call();
            ValueStore store = opened.get();
            if (name.equals("sync") && store != null && isFirst.compareAndSet(true, false)) {
                put(store, model, 2, new byte[100]);
                store.capture(Map.of()); // what was put waits for being written from now on
                Thread writer = Thread.ofPlatform().start(() -> assertDoesNotThrow(store.log()::write));
                writer.join(60_000);
                assertFalse(writer.isAlive(), "values are not written while others are synced");
                assertEquals(0, store.log().waitingBytes());
            }
            return result;
        });
        ValueStore store =
                ValueStore.open(LoneTable.on(hooked, memory, clock, background), SIZES, ValueSegmentList.EMPTY);
        opened.set(store);
        put(store, model, 1, new byte[100]);
        checkpoint(store);
        assertFalse(isFirst.get());
        ValueSegmentList second = checkpoint(store);
        disk = disk.crash(new CrashChoice.DropAll());
        try (ValueStore again = open(second)) {
            check(again, model);
        }
    }

    /** The system forgets what a failed sync could not write, and says that all is well when it is asked again. */
    @Test
    void after_a_failed_sync_nothing_is_durable_any_more() throws IOException {
        for (String failing : List.of("sync", "syncDirectory")) {
            Map<Integer, Kept> model = new HashMap<>();
            AtomicInteger asked = new AtomicInteger();
            Storage hooked = HookedStorage.over(disk, (name, path, proceed) -> {
                if (name.equals(failing) && asked.getAndIncrement() == 0) {
                    throw new IOException("planted");
                }
                return proceed.call();
            });
            ValueStore store =
                    ValueStore.open(LoneTable.on(hooked, memory, clock, background), SIZES, ValueSegmentList.EMPTY);
            put(store, model, 1, new byte[100]);
            assertThrows(IOException.class, () -> checkpoint(store), failing);
            IOException second = assertThrows(IOException.class, () -> checkpoint(store), failing);
            assertTrue(second.toString().contains("a sync of values failed before"), second.toString());
            assertEquals(1, asked.get(), "it was not tried again");
            store.close();
        }
    }

    @Test
    void a_segment_that_cannot_be_handed_over_stays_for_the_next_call() throws IOException {
        Map<Integer, Kept> model = new HashMap<>();
        try (ValueStore store = open(ValueSegmentList.EMPTY)) {
            for (int i = 0; i < 4; i++) {
                put(store, model, 1, new byte[SEGMENT_BYTES]);
            }
            List<Long> taken = new ArrayList<>();
            assertThrows(
                    OutOfMemoryError.class,
                    () -> store.takeEmptied(number -> {
                        if (taken.size() == 1) {
                            throw new OutOfMemoryError("planted");
                        }
                        taken.add(number);
                    }));
            taken.addAll(emptied(store));
            assertEquals(Set.of(1L, 2L, 3L), Set.copyOf(taken));
            assertEquals(3, taken.size());
        }
    }

    @Test
    void a_segment_stays_while_somebody_looks_or_the_list_names_it() throws IOException {
        Map<Integer, Kept> model = new HashMap<>();
        try (ValueStore store = open(ValueSegmentList.EMPTY)) {
            put(store, model, 1, new byte[100]);
            Kept first = Objects.requireNonNull(model.get(1));
            checkpoint(store);
            put(store, model, 1, new byte[SEGMENT_BYTES]);
            put(store, model, 2, new byte[SEGMENT_BYTES]);
            assertEquals(List.of(first.pointer().segment()), emptied(store));
            assertTrue(store.pinnedBytes() > 0);
            assertArrayEquals(
                    first.value, store.log().read(first.pointer, key(1)), "somebody may look at an older state");
            store.unlink(first.pointer().segment());
            assertArrayEquals(first.value, store.log().read(first.pointer, key(1)), "the durable list names it");
            checkpoint(store);
            assertNull(store.log().read(first.pointer, key(1)));
            assertEquals(0, store.pinnedBytes());
            check(store, model);
        }
    }

    /** A checkpoint that fails after its superblock is on the disk must find its values. */
    @Test
    void the_segments_of_a_list_stay_from_the_moment_at_which_it_may_be_durable() throws IOException {
        for (boolean isDurable : new boolean[] {false, true}) {
            Map<Integer, Kept> model = new HashMap<>();
            try (ValueStore store = open(ValueSegmentList.EMPTY)) {
                put(store, model, 1, new byte[100]);
                Kept first = Objects.requireNonNull(model.get(1));
                ValueSegmentList list = store.capture(Map.of());
                store.persist(list);
                ValueStore.Leases leases = store.lease(list);
                put(store, model, 1, new byte[SEGMENT_BYTES]);
                put(store, model, 2, new byte[SEGMENT_BYTES]);
                store.takeEmptied(store::unlink);
                assertArrayEquals(first.value, store.log().read(first.pointer, key(1)), "a superblock may name it");
                if (isDurable) {
                    store.committed(leases);
                    assertArrayEquals(first.value, store.log().read(first.pointer, key(1)), "a superblock names it");
                    checkpoint(store);
                } else {
                    store.giveUp(leases);
                }
                assertNull(store.log().read(first.pointer, key(1)));
                check(store, model);
            }
            for (String name : disk.list("t")) {
                disk.delete("t/" + name);
            }
        }
    }

    @Test
    void what_a_pointer_leads_to_is_checked() throws IOException {
        Map<Integer, Kept> model = new HashMap<>();
        try (ValueStore store = open(ValueSegmentList.EMPTY)) {
            put(store, model, 1, new byte[100]);
            put(store, model, 2, new byte[100]);
            ValuePointer there = Objects.requireNonNull(model.get(2)).pointer();
            for (int written = 0; written < 2; written++) {
                assertThrows(CorruptionException.class, () -> store.log().read(there, key(1)));
                ValuePointer wrong = new ValuePointer(there.segment(), there.offset() + 1, 100);
                assertThrows(CorruptionException.class, () -> store.log().read(wrong, key(2)));
                ValuePointer behind = new ValuePointer(there.segment(), 1L << 40, 100);
                assertThrows(CorruptionException.class, () -> store.log().read(behind, key(2)));
                assertNull(store.log().tryRead(there.segment(), there.offset(), key(1), null));
                assertNull(store.log().tryRead(there.segment(), 1L << 25, key(2), null));
                assertNull(store.log().tryRead(99, there.offset(), key(2), null));
                StoredValue found =
                        Objects.requireNonNull(store.log().tryRead(there.segment(), there.offset(), key(2), null));
                assertEquals(2, found.lsn());
                assertArrayEquals(new byte[100], found.value());
                put(store, new HashMap<>(), 3, new byte[SEGMENT_BYTES]);
                store.log().write();
            }
        }
    }

    @Test
    void a_missing_or_short_segment_is_damage_and_a_list_is_checked() throws IOException {
        Map<Integer, Kept> model = new HashMap<>();
        ValueSegmentList list;
        try (ValueStore store = open(ValueSegmentList.EMPTY)) {
            put(store, model, 1, new byte[5_000]);
            list = checkpoint(store);
        }
        String path = "t/" + disk.list("t").getFirst();
        try (StorageFile file = disk.open(path)) {
            file.truncate(5_000);
        }
        assertThrows(CorruptionException.class, () -> open(list));
        disk.delete(path);
        assertThrows(CorruptionException.class, () -> open(list));
        byte[] bytes = list.toBytes();
        for (int length = 0; length < bytes.length; length++) {
            ByteReader cut = new ByteReader("list", Arrays.copyOf(bytes, length));
            assertThrows(CorruptionException.class, () -> ValueSegmentList.read(cut), "length " + length);
        }
        assertEquals(0, disk.openResources());
    }
}

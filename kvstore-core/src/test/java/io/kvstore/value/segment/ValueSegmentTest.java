package io.kvstore.value.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Slice;
import io.kvstore.engine.Epochs;
import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.ReadMapping;
import io.kvstore.io.StorageFile;
import io.kvstore.testkit.Documents;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

final class ValueSegmentTest {

    private static final int TAG = 5;
    private static final String NAME = "7.val";

    private final SimStorage disk = new SimStorage();

    /** A value with all that is needed to find it again. */
    private record Stored(byte[] key, long lsn, byte[] value, ValuePointer pointer) {}

    private ValueSegmentInfo write(List<Stored> stored, int... lengths) throws IOException {
        SplittableRandom random = new SplittableRandom(lengths.length);
        try (StorageFile file = disk.create(NAME)) {
            ValueSegmentWriter writer = new ValueSegmentWriter(file, 7, TAG);
            for (int i = 0; i < lengths.length; i++) {
                byte[] key = new byte[i == 0 ? 0 : random.nextInt(30)];
                byte[] padded = new byte[lengths[i] + 3];
                random.nextBytes(key);
                random.nextBytes(padded);
                byte[] value = Arrays.copyOfRange(padded, 2, lengths[i] + 2);
                long lsn = random.nextLong(1, Long.MAX_VALUE);
                long before = writer.bytes();
                ValuePointer pointer = writer.append(Slice.of(key), lsn, new Slice(padded, 2, lengths[i]));
                assertEquals(pointer.recordBytes(key.length), writer.bytes() - before);
                stored.add(new Stored(key, lsn, value, pointer));
            }
            ValueSegmentInfo info = writer.finish();
            file.sync();
            assertEquals(new ValueSegmentInfo(7, file.size(), lengths.length), info);
            return info;
        }
    }

    /** A value each time, or all of them: who maps it is told before a walk begins, so that most of it goes through memory. */
    @Test
    void who_maps_a_segment_is_told_of_what_is_read_by_position() throws IOException {
        List<Stored> stored = new ArrayList<>();
        ValueSegmentInfo info = write(stored, 5, 1000, 3);
        List<ValueSegment> told = new ArrayList<>();
        try (ValueSegment segment =
                new ValueSegment(disk.openReadOnly(NAME), info, TAG, new ReadBuffers(), told::add)) {
            read(segment, stored.getFirst());
            assertEquals(List.of(segment), told);
            segment.walk((pointer, key, lsn, value) -> assertEquals(2, told.size()));
            assertEquals(2, told.size());
            segment.noteTried();
            read(segment, stored.getFirst());
            segment.walk((pointer, key, lsn, value) -> {});
            assertEquals(2, told.size(), "it was tried");
        }
    }

    private ValueSegment open(ValueSegmentInfo info) throws IOException {
        StorageFile file = disk.openReadOnly(NAME);
        boolean opened = false;
        try {
            ValueSegment segment = ValueSegment.open(file, info, TAG, new ReadBuffers());
            opened = true;
            return segment;
        } finally {
            if (!opened) {
                file.close();
            }
        }
    }

    private static byte[] read(ValueSegment segment, Stored one) throws IOException {
        return read(segment, one.pointer, new ValueRecords.Owner(one.key, one.key.length, one.lsn));
    }

    private static List<Findings.Finding> findings(ValueSegment segment) throws IOException {
        Findings findings = new Findings();
        segment.verify(findings);
        return findings.kept();
    }

    @Test
    void values_of_every_size_come_back() throws IOException {
        List<Stored> stored = new ArrayList<>();
        ValueSegmentInfo info = write(stored, 0, 1, 500, 1 << 10, 65_516, 65_536, 262_144, 2_500_000, 3, 1 << 20, 0);
        try (ValueSegment segment = open(info)) {
            for (int round = 0; round < 2; round++) {
                for (Stored one : stored) {
                    assertArrayEquals(one.value, read(segment, one));
                }
            }
            assertEquals(List.of(), findings(segment));
            assertEquals(NAME, segment.path());
        }
        assertEquals(0, disk.openResources());
    }

    private static int[] many() {
        int[] lengths = new int[60];
        Arrays.fill(lengths, 300);
        return lengths;
    }

    private static byte[] read(ValueSegment segment, ValuePointer pointer, ValueRecords.Owner owner)
            throws IOException {
        return segment.read(pointer, owner, null).toWholeArray();
    }

    private static byte[] read(ValueSegment segment, Stored one, ValueWindows windows) throws IOException {
        return segment.read(one.pointer, new ValueRecords.Owner(one.key, one.key.length, one.lsn), windows)
                .toArray();
    }

    @Test
    void values_come_back_through_windows_while_one_mapping_takes_the_place_of_another() throws IOException {
        List<Stored> stored = new ArrayList<>();
        ValueSegmentInfo info = write(stored, many());
        try (ValueSegment segment = open(info)) {
            Epochs epochs = new Epochs();
            ValueWindows windows = new ValueWindows(Long.MAX_VALUE);
            segment.mapped(disk.mapReadOnly(NAME, stored.get(30).pointer.offset()), epochs);
            for (int i = 0; i < stored.size(); i++) {
                if (i % 20 == 19) {
                    segment.mapped(disk.mapReadOnly(NAME, info.bytes()), epochs);
                }
                assertArrayEquals(stored.get(i).value, read(segment, stored.get(i), windows), "value " + i);
            }
            for (Stored one : stored.reversed()) {
                assertArrayEquals(one.value, read(segment, one, windows));
            }
        }
        assertEquals(0, disk.openResources());
    }

    /** To close a mapping interrupts who reads it, so each way to read one is inside of an epoch, and that is waited for. */
    @Test
    void a_mapping_is_not_closed_while_somebody_reads() throws IOException {
        List<Stored> stored = new ArrayList<>();
        ValueSegmentInfo info = write(stored, many());
        Epochs epochs = new Epochs();
        byte[] bytes = disk.bytes(NAME);
        int[] closed = {0};
        int[] read = {0};
        class Watched implements ReadMapping {
            @Override
            public MemorySegment memory() {
                assertFalse(epochs.isQuiescent(), "nobody knows of this reader");
                read[0]++;
                return MemorySegment.ofArray(bytes);
            }

            @Override
            public void close() {
                closed[0]++;
            }
        }
        int ticket;
        try (ValueSegment segment = open(info)) {
            segment.mapped(new Watched(), epochs);
            Stored one = stored.get(7);
            read(segment, one.pointer, new ValueRecords.Owner(one.key, one.key.length, one.lsn));
            read(segment, one, new ValueWindows(Long.MAX_VALUE));
            assertNotNull(segment.tryReadMapped(one.pointer.offset(), one.key, null));
            segment.touch(one.pointer);
            segment.visit(one.pointer.offset(), (pointer, key, lsn, value) -> {});
            assertTrue(read[0] >= 5, "not every read was through the mapping");
            assertTrue(epochs.isQuiescent(), "a reader did not leave");
            ticket = epochs.enter();
            segment.mapped(new Watched(), epochs);
        }
        assertEquals(0, closed[0]);
        epochs.exit(ticket);
        epochs.reclaim();
        assertEquals(2, closed[0]);
    }

    /** The epochs come with the first mapping. Who looks before does not leave what it has not entered. */
    @Test
    void a_look_beside_the_first_mapping_leaves_the_epochs_of_others_alone() throws Exception {
        List<Stored> stored = new ArrayList<>();
        ValueSegmentInfo info = write(stored, 100);
        Stored one = stored.getFirst();
        byte[] bytes = disk.bytes(NAME);
        Epochs epochs = new Epochs();
        int other = enterInFirstSlot(epochs);
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            for (int round = 0; round < 5_000; round++) {
                try (ValueSegment segment = open(info)) {
                    Probe probe = new Probe();
                    CountDownLatch begun = new CountDownLatch(1);
                    Future<?> reader = threads.submit(() -> {
                        begun.countDown();
                        while (segment.tryProbeMapped(one.pointer.offset(), one.key, probe) == Probe.Answer.UNKNOWN) {
                            Thread.onSpinWait();
                        }
                    });
                    begun.await();
                    segment.mapped(new Memory(bytes), epochs);
                    reader.get();
                }
                assertFalse(epochs.isQuiescent(), "a reader that is still inside is gone");
            }
        }
        epochs.exit(other);
        assertTrue(epochs.isQuiescent());
    }

    /** Enters in other threads until one of them has the slot 0. */
    private static int enterInFirstSlot(Epochs epochs) throws InterruptedException {
        int[] ticket = {-1};
        for (int i = 0; i < 100_000 && ticket[0] != 0; i++) {
            Thread thread = Thread.ofVirtual().start(() -> ticket[0] = epochs.enter());
            thread.join();
            if (ticket[0] != 0) {
                epochs.exit(ticket[0]);
            }
        }
        assertEquals(0, ticket[0], "no thread has that slot");
        return ticket[0];
    }

    /** What a part that cannot be read leaves in a window: the machine may tell of it late. */
    @Test
    void what_was_copied_along_and_is_wrong_is_read_alone() throws IOException {
        List<Stored> stored = new ArrayList<>();
        ValueSegmentInfo info = write(stored, many());
        byte[] memory = disk.bytes(NAME);
        try (ValueSegment segment = open(info)) {
            segment.mapped(new Memory(memory), new Epochs());
            ValueWindows windows = new ValueWindows(Long.MAX_VALUE);
            Stored last = stored.getLast();
            int wrong = (int) last.pointer.offset() + ValueSegmentFormat.RECORD_HEAD_BYTES + last.key.length;
            memory[wrong]++;
            for (Stored one : stored.subList(0, stored.size() - 1)) {
                assertArrayEquals(one.value, read(segment, one, windows));
            }
            memory[wrong]--;
            assertArrayEquals(last.value, read(segment, last, windows));
            memory[wrong]++;
            assertThrows(CorruptionException.class, () -> read(segment, last, windows));
        }
    }

    /** A mapping of what may be changed. */
    private record Memory(byte[] bytes) implements ReadMapping {
        @Override
        public MemorySegment memory() {
            return MemorySegment.ofArray(bytes);
        }

        @Override
        public void close() {
            // it is the test's
        }
    }

    @Test
    void longest_key() throws IOException {
        byte[] key = new byte[65_535];
        Arrays.fill(key, (byte) 0xFF);
        ValueSegmentInfo info;
        ValuePointer pointer;
        try (StorageFile file = disk.create(NAME)) {
            ValueSegmentWriter writer = new ValueSegmentWriter(file, 7, TAG);
            pointer = writer.append(Slice.of(key), 1, Slice.of(new byte[9]));
            info = writer.finish();
        }
        try (ValueSegment segment = open(info)) {
            assertArrayEquals(new byte[9], read(segment, pointer, new ValueRecords.Owner(key, key.length, 1)));
        }
    }

    /** The checksum holds for the place, not for whom the value belongs to. */
    @Test
    void value_of_another_entry_is_never_given() throws IOException {
        List<Stored> stored = new ArrayList<>();
        ValueSegmentInfo info = write(stored, 100, 100, 100);
        Stored one = stored.get(1);
        byte[] otherKey = one.key.clone();
        otherKey[0]++;
        ValuePointer right = one.pointer;
        try (ValueSegment segment = open(info)) {
            assertThrows(
                    CorruptionException.class,
                    () -> read(segment, right, new ValueRecords.Owner(otherKey, otherKey.length, one.lsn)));
            assertThrows(
                    CorruptionException.class,
                    () -> read(segment, right, new ValueRecords.Owner(one.key, one.key.length, one.lsn + 1)));
            assertThrows(
                    CorruptionException.class,
                    () -> read(segment, right, new ValueRecords.Owner(one.key, one.key.length - 1, one.lsn)));
            for (ValuePointer wrong : List.of(
                    new ValuePointer(7, right.offset() + 1, 100),
                    new ValuePointer(7, stored.get(2).pointer.offset(), 100),
                    new ValuePointer(7, right.offset(), 99),
                    new ValuePointer(7, right.offset(), 101),
                    new ValuePointer(7, info.bytes() - 10, 100),
                    new ValuePointer(7, right.offset(), Integer.MAX_VALUE),
                    new ValuePointer(7, Long.MAX_VALUE - 10, 0))) {
                assertThrows(
                        CorruptionException.class,
                        () -> read(segment, wrong, new ValueRecords.Owner(one.key, one.key.length, one.lsn)),
                        wrong.toString());
            }
        }
    }

    @Test
    void every_flipped_bit_and_every_cut_is_noticed() throws IOException {
        List<Stored> stored = new ArrayList<>();
        ValueSegmentInfo info = write(stored, 0, 20, 3);
        byte[] bytes = disk.bytes(NAME);
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            disk.replace(NAME, damaged);
            if (bit / 8 < ValueSegmentFormat.HEADER_BYTES) {
                assertThrows(RuntimeException.class, () -> open(info), "bit " + bit);
                continue;
            }
            try (ValueSegment segment = open(info)) {
                assertEquals(1, findings(segment).size(), "bit " + bit);
                int wrong = 0;
                for (Stored one : stored) {
                    try {
                        assertArrayEquals(one.value, read(segment, one));
                    } catch (CorruptionException e) {
                        assertEquals(one.pointer.offset(), e.offset());
                        wrong++;
                    }
                }
                assertEquals(1, wrong, "bit " + bit);
            }
        }
        for (int length = 0; length < bytes.length; length++) {
            disk.replace(NAME, Arrays.copyOf(bytes, length));
            assertThrows(CorruptionException.class, () -> open(info));
        }
        disk.replace(NAME, Arrays.copyOf(bytes, bytes.length + 1));
        try (ValueSegment segment = open(info)) {
            assertEquals(List.of(), findings(segment), "what lies behind counts for nothing");
        }
        assertEquals(0, disk.openResources());
    }

    @Test
    void segment_of_another_table_or_number_is_refused() throws IOException {
        ValueSegmentInfo info = write(new ArrayList<>(), 10);
        try (StorageFile file = disk.openReadOnly(NAME)) {
            assertThrows(CorruptionException.class, () -> ValueSegment.open(file, info, TAG + 1, new ReadBuffers()));
            ValueSegmentInfo other = new ValueSegmentInfo(8, info.bytes(), info.records());
            CorruptionException failure = assertThrows(
                    CorruptionException.class, () -> ValueSegment.open(file, other, TAG, new ReadBuffers()));
            assertTrue(String.valueOf(failure.getMessage()).contains("file 7"), failure.getMessage());
        }
    }

    @Test
    void pointers_and_descriptions_are_read_as_written() {
        for (ValuePointer pointer : List.of(
                new ValuePointer(1, 32, 0), new ValuePointer(Long.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE))) {
            ByteWriter out = new ByteWriter();
            pointer.write(out);
            assertEquals(pointer, ValuePointer.read(new ByteReader("f", out.toArray())));
            assertThrows(
                    CorruptionException.class,
                    () -> ValuePointer.read(new ByteReader("f", out.u8(0).toArray())));
        }
        for (long[] bad : new long[][] {{0, 32, 1}, {-1, 32, 1}, {1, 31, 1}, {1, 32, -1}, {1, 32, 1L << 31}}) {
            ByteWriter out = new ByteWriter();
            out.varint(bad[0]).varint(bad[1]).varint(bad[2]);
            byte[] bytes = out.toArray();
            assertThrows(CorruptionException.class, () -> ValuePointer.read(new ByteReader("f", bytes)));
        }
        ByteWriter out = new ByteWriter();
        ValueSegmentInfo info = new ValueSegmentInfo(3, 52, 1);
        info.write(out);
        assertEquals(info, ValueSegmentInfo.read(new ByteReader("f", out.toArray())));
        for (long[] bad : new long[][] {{0, 52, 1}, {3, 51, 1}, {3, 52, 0}, {3, 52, 53}, {3, -1, 1}}) {
            ByteWriter wrong = new ByteWriter();
            wrong.varint(bad[0]).varint(bad[1]).varint(bad[2]);
            byte[] bytes = wrong.toArray();
            assertThrows(CorruptionException.class, () -> ValueSegmentInfo.read(new ByteReader("f", bytes)));
        }
    }

    @Test
    void buffers_are_used_again_by_the_one_who_gave_them() {
        ReadBuffers buffers = new ReadBuffers();
        byte[] first = buffers.take(600);
        byte[] second = buffers.take(600);
        assertNotSame(first, second);
        buffers.give(first);
        assertSame(first, buffers.take(1_000));
        buffers.give(first);
        assertNotSame(first, buffers.take(2_000), "too short");
        byte[] large = buffers.take(1 << 20);
        buffers.give(large);
        assertNotSame(large, buffers.take(1 << 20), "large buffers are not kept");
    }

    @Test
    void the_document_says_what_the_code_writes() throws IOException {
        String text = Documents.section("docs/file-formats.md", "## Value segment");
        assertTrue(text.contains(
                "Magic `" + ValueSegmentFormat.HEADER.magic() + "`, version " + ValueSegmentFormat.HEADER.version()));
    }
}

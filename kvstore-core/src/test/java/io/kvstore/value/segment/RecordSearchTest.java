package io.kvstore.value.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.Slice;
import io.kvstore.io.StorageFile;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Whole records of a damaged segment are found, and all else is told as lost. */
final class RecordSearchTest {

    private static final int TAG = 5;
    private static final long NUMBER = 7;
    private static final String NAME = "7.val";

    private final SimStorage disk = new SimStorage();
    private final Random random = new Random(3);

    /** The values that were written, by the offsets of their records. */
    private final TreeMap<Long, byte[]> written = new TreeMap<>();

    private final TreeMap<Long, byte[]> found = new TreeMap<>();
    private final List<long[]> lost = new ArrayList<>();
    private long readBytes;

    private long write(int... lengths) throws IOException {
        try (StorageFile file = disk.create(NAME)) {
            ValueSegmentWriter writer = new ValueSegmentWriter(file, NUMBER, TAG);
            for (int i = 0; i < lengths.length; i++) {
                byte[] value = new byte[lengths[i]];
                random.nextBytes(value);
                append(writer, i, value);
            }
            return writer.finish().bytes();
        }
    }

    private void append(ValueSegmentWriter writer, int number, byte[] value) throws IOException {
        Slice key = Slice.of(new byte[number % 20]);
        written.put(writer.append(key, number + 1, Slice.of(value)).offset(), value);
    }

    private void flip(long offset) throws IOException {
        try (StorageFile file = disk.open(NAME)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            file.readFully(one, offset);
            file.write(ByteBuffer.wrap(new byte[] {(byte) (one.get(0) ^ 1 << random.nextInt(8))}), offset);
        }
    }

    private void search(StorageFile file, long bytes) throws IOException {
        found.clear();
        lost.clear();
        new RecordSearch(file, NUMBER, bytes, TAG)
                .run(
                        (pointer, key, lsn, value) -> {
                            assertEquals(key.length, (lsn - 1) % 20);
                            found.put(pointer.offset(), value);
                        },
                        (from, to, wasSearched) -> lost.add(new long[] {from, to, wasSearched ? 1 : 0}));
        found.forEach((offset, value) -> assertArrayEquals(written.get(offset), value));
    }

    /** Checks that the search found all bytes but those that it told as lost. */
    private void requireLost(List<Long> expected) {
        List<Long> missing = new ArrayList<>(written.keySet());
        missing.removeAll(found.keySet());
        assertEquals(expected, missing);
        missing.removeIf(offset -> lost.stream().anyMatch(part -> part[0] <= offset && offset < part[1]));
        assertEquals(List.of(), missing, "missing and not told");
    }

    @Test
    void a_flipped_bit_costs_the_record_that_has_it() throws IOException {
        long bytes = write(0, 5, 300, 70_000, 64 << 10, 1, 200_000, 40, 40, 40, 1_000);
        for (int i = 0; i < 400; i++) {
            long offset = ValueSegmentFormat.HEADER_BYTES + random.nextLong(bytes - ValueSegmentFormat.HEADER_BYTES);
            if (i % 2 == 0) { // a head: its lengths may lead anywhere
                List<Long> offsets = List.copyOf(written.keySet());
                offset = offsets.get(random.nextInt(offsets.size())) + random.nextInt(20);
            }
            byte[] before = contents(bytes);
            flip(offset);
            try (StorageFile file = disk.openReadOnly(NAME)) {
                search(file, bytes);
            }
            requireLost(List.of(written.floorKey(offset)));
            assertEquals(1, lost.size());
            try (StorageFile file = disk.open(NAME)) {
                file.write(ByteBuffer.wrap(before), 0);
            }
        }
    }

    private byte[] contents(long bytes) throws IOException {
        ByteBuffer all = ByteBuffer.allocate((int) bytes);
        try (StorageFile file = disk.openReadOnly(NAME)) {
            file.readFully(all, 0);
        }
        return all.array();
    }

    @Test
    void what_the_disk_does_not_give_costs_the_records_there() throws IOException {
        int[] lengths = new int[2_000];
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = 100 + i % 300;
        }
        long bytes = write(lengths);
        long unit = 100 * 4_096L;
        try (StorageFile file = openWithout(unit)) {
            search(file, bytes);
        }
        requireLost(List.copyOf(written.subMap(written.floorKey(unit), true, unit + 4_096, false)
                .keySet()));
        assertTrue(found.size() > 1_900, found.size() + " found");
    }

    /** A value may have as many heads as it has bytes, all of which lead to the end of the segment. */
    @Test
    void a_search_ends_among_what_looks_like_heads() throws IOException {
        long bytes;
        ByteBuffer heads = ByteBuffer.allocate(2 << 20).order(ByteOrder.LITTLE_ENDIAN);
        while (heads.remaining() >= 20) {
            heads.putInt(0).putInt(1 << 20).putLong(0).putInt(1 << 16);
        }
        try (StorageFile file = disk.create(NAME)) {
            ValueSegmentWriter writer = new ValueSegmentWriter(file, NUMBER, TAG);
            append(writer, 0, new byte[10]);
            append(writer, 1, heads.array());
            append(writer, 2, new byte[10]);
            bytes = writer.finish().bytes();
        }
        long second = List.copyOf(written.keySet()).get(1);
        flip(second + 20);
        requireSearch(bytes, List.of(second), true); // its head says where the next record begins
        flip(second + 6); // the length of its value
        requireSearch(bytes, List.copyOf(written.tailMap(second).keySet()), false);
    }

    private void requireSearch(long bytes, List<Long> expected, boolean isSearched) throws IOException {
        readBytes = 0;
        try (StorageFile file = openWithout(Long.MAX_VALUE / 2)) {
            search(file, bytes);
        }
        requireLost(expected);
        assertEquals(1, lost.size());
        assertEquals(isSearched ? 1 : 0, lost.getFirst()[2]);
        assertTrue(readBytes < 40 * bytes, readBytes + " bytes were read of " + bytes);
    }

    /** Opens the file, of which 4 KiB cannot be read. */
    private StorageFile openWithout(long unreadable) throws IOException {
        return HookedStorage.over(disk, (name, path, proceed) -> {
                    if (proceed.reads(unreadable, unreadable + 4_096)) {
                        throw new IOException("no such sector");
                    }
                    if (proceed.reads(0, Long.MAX_VALUE)) {
                        readBytes += ((ByteBuffer) proceed.argument(0)).remaining();
                    }
                    return proceed.call();
                })
                .openReadOnly(NAME);
    }
}

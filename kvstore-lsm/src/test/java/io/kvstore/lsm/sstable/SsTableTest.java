package io.kvstore.lsm.sstable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.Checksum;
import io.kvstore.data.KeyOrder;
import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.KVStoreException;
import io.kvstore.io.StorageFile;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.entry.Lookup;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.DeflateCodec;
import io.kvstore.testkit.Documents;
import io.kvstore.testkit.Seeds;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class SsTableTest {

    private static final int TABLE = 3;
    private static final SsTableOptions USUAL = options(1024);
    private static final SsTableOptions PACKED = new SsTableOptions(TABLE, 1024, 4096, 0.01, new DeflateCodec());

    private final SimStorage disk = new SimStorage();

    private static SsTableOptions options(int maxEntriesPerBlock) {
        return new SsTableOptions(TABLE, maxEntriesPerBlock, 4096, 0.01, null);
    }

    private SsTableInfo write(SsTableOptions options, List<ListedEntry> entries) throws IOException {
        try (StorageFile file = disk.create("1.sst")) {
            SsTableWriter writer = new SsTableWriter(file, 1, options);
            ListCursor cursor = new ListCursor(entries);
            for (boolean more = cursor.seek(null, true); more; more = cursor.advance()) {
                writer.add(cursor);
            }
            SsTableInfo info = writer.finish();
            file.sync();
            assertEquals(file.size(), info.bytes());
            return info;
        }
    }

    private static SsTable open(SimStorage storage, SsTableInfo info) throws IOException {
        StorageFile file = storage.openReadOnly("1.sst");
        try {
            return new SsTable(file, SsTableListing.of(info), PACKED, new BlockScratch.Pool());
        } catch (IOException | KVStoreException e) {
            file.close();
            throw e;
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<ListedEntry> random(SplittableRandom random, int count, int keyBytes, int valueBytes) {
        TreeSet<ListedEntry> entries = new TreeSet<>(ListedEntry.ORDER);
        while (entries.size() < count) {
            byte[] key = new byte[random.nextInt(keyBytes + 1)];
            for (int i = 0; i < key.length; i++) {
                key[i] = (byte) (random.nextInt(3) * 0x7F);
            }
            byte[] value = new byte[random.nextInt(valueBytes + 1)];
            random.nextBytes(value);
            for (int versions = random.nextInt(1, 4); versions > 0; versions--) {
                long lsn = random.nextLong(1, 1L << random.nextInt(2, 50));
                entries.add(
                        random.nextInt(5) == 0 ? ListedEntry.tombstone(key, lsn) : ListedEntry.put(key, lsn, value));
            }
        }
        return List.copyOf(entries);
    }

    @Test
    void everything_written_is_read_in_both_directions_from_every_bound() {
        int[] perBlock = {1, 2, 16, 17, 1024};
        Seeds.each(1, 20, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            List<ListedEntry> entries = random(random, random.nextInt(1, 400), 12, 300);
            SsTableOptions options = new SsTableOptions(
                    TABLE, perBlock[(int) seed % 5], 512 << seed % 4, 0.1, seed % 3 == 0 ? null : new DeflateCodec());
            disk.delete("1.sst");
            SsTableInfo info = write(options, entries);
            try (SsTable table = open(disk, info)) {
                for (int i = 0; i < 60; i++) {
                    byte[] bound = i == 0
                            ? null
                            : entries.get(random.nextInt(entries.size())).key().clone();
                    if (bound != null && bound.length > 0 && i % 3 == 0) {
                        bound[bound.length - 1]++;
                    }
                    for (boolean inclusive : new boolean[] {true, false}) {
                        checkWalks(table, entries, bound, inclusive);
                    }
                }
                checkFinds(table, entries, random);
                Findings findings = new Findings();
                table.verify(findings, (pointer, key, lsn) -> {});
                assertEquals(List.of(), findings.kept());
            }
        });
        assertEquals(0, disk.openResources());
    }

    private static void checkWalks(SsTable table, List<ListedEntry> entries, byte @Nullable [] bound, boolean inclusive)
            throws IOException {
        for (int readAhead : new int[] {0, 2000, 1 << 20}) {
            List<ListedEntry> expected = entries.stream()
                    .filter(entry -> bound == null || sideOf(entry, bound, inclusive) > 0)
                    .toList();
            assertSame(expected, walk(table.cursor(false, readAhead), bound, inclusive));
        }
        List<ListedEntry> expected = entries.stream()
                .filter(entry -> bound == null || sideOf(entry, bound, !inclusive) < 0)
                .toList();
        assertSame(expected.reversed(), walk(table.cursor(true, 1 << 20), bound, inclusive));
    }

    private static int sideOf(ListedEntry entry, byte[] bound, boolean equalIsAbove) {
        int order = KeyOrder.compare(entry.key(), bound);
        return order != 0 ? order : equalIsAbove ? 1 : -1;
    }

    private static List<ListedEntry> walk(EntryCursor cursor, byte @Nullable [] bound, boolean inclusive)
            throws IOException {
        List<ListedEntry> found = new ArrayList<>();
        for (boolean more = cursor.seek(bound, inclusive); more; more = cursor.advance()) {
            found.add(ListedEntry.at(cursor));
        }
        return found;
    }

    private static void assertSame(List<ListedEntry> expected, List<ListedEntry> found) {
        assertEquals(expected.toString(), found.toString());
        for (int i = 0; i < found.size(); i++) {
            assertTrue(expected.get(i).sameAs(found.get(i)));
        }
    }

    private static void checkFinds(SsTable table, List<ListedEntry> entries, SplittableRandom random)
            throws IOException {
        for (ListedEntry wanted : entries) {
            for (long view : new long[] {wanted.lsn() - 1, wanted.lsn(), Long.MAX_VALUE}) {
                Lookup lookup = new Lookup(wanted.key(), view);
                table.find(lookup);
                ListedEntry expected = entries.stream()
                        .filter(entry -> KeyOrder.compare(entry.key(), wanted.key()) == 0 && entry.lsn() <= view)
                        .findFirst()
                        .orElse(null);
                assertEquals(expected == null ? 0 : expected.lsn(), lookup.lsn());
                assertArrayEquals(
                        expected == null || expected.kind() == EntryKind.TOMBSTONE ? null : expected.value(),
                        lookup.value());
            }
        }
        for (int i = 0; i < 100; i++) {
            byte[] key = new byte[random.nextInt(20)];
            random.nextBytes(key);
            Lookup lookup = new Lookup(key, Long.MAX_VALUE);
            table.find(lookup);
            boolean known = entries.stream().anyMatch(entry -> KeyOrder.compare(entry.key(), key) == 0);
            assertEquals(known, lookup.lsn() != 0);
        }
    }

    @Test
    void largest_keys_and_values() throws IOException {
        byte[] longest = new byte[KeyOrder.MAX_KEY_BYTES];
        byte[] last = new byte[KeyOrder.MAX_KEY_BYTES];
        last[0] = 1;
        List<ListedEntry> entries = List.of(
                ListedEntry.put(new byte[0], 9, new byte[0]),
                ListedEntry.put(new byte[0], 8, new byte[3 << 20]),
                ListedEntry.put(longest, Long.MAX_VALUE - 1, new byte[4096]),
                ListedEntry.put(longest, 7, new byte[4095]),
                ListedEntry.put(last, 1, new byte[5000]));
        SsTableInfo info = write(USUAL, entries);
        try (SsTable table = open(disk, info)) {
            assertSame(entries, walk(table.cursor(false, 1 << 20), null, true));
            assertSame(entries.reversed(), walk(table.cursor(true, 0), null, true));
            checkFinds(table, entries, new SplittableRandom(1));
        }
    }

    @Test
    void many_versions_of_one_key_fill_several_blocks() throws IOException {
        List<ListedEntry> entries = new ArrayList<>();
        entries.add(ListedEntry.put(bytes("a"), 1000, bytes("before")));
        for (int lsn = 900; lsn > 0; lsn--) {
            entries.add(ListedEntry.put(bytes("key"), lsn, bytes("value " + lsn)));
        }
        entries.add(ListedEntry.put(bytes("z"), 1, bytes("after")));
        SsTableInfo info = write(options(10), entries);
        try (SsTable table = open(disk, info)) {
            checkFinds(table, entries, new SplittableRandom(1));
            for (String bound : List.of("a", "k", "key", "key2", "z", "zz")) {
                checkWalks(table, entries, bytes(bound), true);
                checkWalks(table, entries, bytes(bound), false);
            }
        }
    }

    @Test
    void entries_out_of_order_are_refused() throws IOException {
        ListedEntry entry = ListedEntry.put(bytes("b"), 5, bytes("x"));
        for (ListedEntry next : List.of(
                entry, ListedEntry.put(bytes("b"), 6, bytes("x")), ListedEntry.put(bytes("a"), 1, bytes("x")))) {
            disk.delete("1.sst");
            assertThrows(CorruptionException.class, () -> write(USUAL, List.of(entry, next)));
        }
    }

    /** A kind or a flag of a later version must not be mistaken for a value. */
    @Test
    void unknown_kinds_and_flags_are_corruption() throws IOException {
        for (int kind : new int[] {0, 4, 15, 0x10 | EntryKind.INLINE, 0x80 | EntryKind.TOMBSTONE}) {
            disk.delete("1.sst");
            SsTableInfo info = write(
                    USUAL,
                    List.of(
                            ListedEntry.put(bytes("a"), 1, bytes("x")),
                            new ListedEntry(bytes("b"), 2, kind, bytes("y"))));
            try (SsTable table = open(disk, info)) {
                CorruptionException failure =
                        assertThrows(CorruptionException.class, () -> walk(table.cursor(false, 0), null, true));
                assertEquals("1.sst", failure.file());
                assertTrue(failure.offset() > SsTableFormat.HEADER_BYTES);
                assertThrows(CorruptionException.class, () -> table.find(new Lookup(bytes("b"), Long.MAX_VALUE)));
            }
        }
        assertEquals(0, disk.openResources());
    }

    /** Whatever wrote it before the checksum was computed: no view would show the entry, or each would show it too early. */
    @Test
    void an_lsn_that_no_entry_of_the_file_has_is_corruption() throws IOException {
        List<ListedEntry> entries = new ArrayList<>();
        for (String key : List.of("a", "b", "c")) {
            entries.add(ListedEntry.put(bytes(key), 10L + entries.size(), bytes("x")));
        }
        SsTableInfo info = write(USUAL, entries);
        byte[] whole = disk.bytes("1.sst");
        int lsnAt = -1;
        for (int at = SsTableFormat.HEADER_BYTES; lsnAt < 0; at++) {
            lsnAt = whole[at] == EntryKind.INLINE && whole[at + 1] == 11 ? at + 1 : -1;
        }
        for (int lsn : new int[] {0, 9, 13, 100}) {
            byte[] forged = whole.clone();
            forged[lsnAt] = (byte) lsn;
            ByteBuffer file = ByteBuffer.wrap(forged).order(ByteOrder.LITTLE_ENDIAN);
            int block = SsTableFormat.HEADER_BYTES;
            int checked = SsTableFormat.FRAME_BYTES + file.getInt(block + Integer.BYTES) - Integer.BYTES;
            long seed = SsTableFormat.seed(TABLE, 1);
            file.putInt(block, Checksum.seeded(seed, block, forged, block + Integer.BYTES, checked));
            disk.replace("1.sst", forged);
            try (SsTable table = open(disk, info)) {
                assertThrows(CorruptionException.class, () -> table.find(new Lookup(bytes("b"), 50)));
                assertThrows(CorruptionException.class, () -> walk(table.cursor(false, 0), null, true));
                assertThrows(CorruptionException.class, () -> walk(table.cursor(true, 0), null, true));
                Findings findings = new Findings();
                table.verify(findings, (pointer, key, version) -> {});
                assertTrue(findings.total() > 0);
            }
        }
        assertEquals(0, disk.openResources());
    }

    @Test
    void every_flipped_bit_and_every_cut_is_noticed() throws IOException {
        List<ListedEntry> entries = random(new SplittableRandom(5), 40, 6, 20);
        SsTableInfo info = write(options(7), entries);
        byte[] bytes = disk.bytes("1.sst");
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertNoticed("bit " + bit, info, damaged);
        }
        for (int length = 0; length < bytes.length; length++) {
            assertNoticed("cut to " + length, info, Arrays.copyOf(bytes, length));
        }
        assertNoticed("grown", info, Arrays.copyOf(bytes, bytes.length + 1));
    }

    @Test
    void damage_of_compressed_blocks_is_noticed() throws IOException {
        List<ListedEntry> entries = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            entries.add(ListedEntry.put(bytes("key" + i), 1, bytes("twice ".repeat(100))));
        }
        SsTableInfo plain = write(USUAL, entries);
        disk.delete("1.sst");
        SsTableInfo info = write(PACKED, entries);
        assertTrue(info.bytes() < plain.bytes() / 4, info.bytes() + " bytes of " + plain.bytes());
        byte[] bytes = disk.bytes("1.sst");
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertNoticed("bit " + bit, info, damaged);
        }
        try (StorageFile file = disk.openReadOnly("1.sst");
                SsTable withoutCodec = new SsTable(file, SsTableListing.of(info), USUAL, new BlockScratch.Pool())) {
            CorruptionException failure = assertThrows(
                    CorruptionException.class, () -> withoutCodec.find(new Lookup(bytes("key1"), Long.MAX_VALUE)));
            assertTrue(String.valueOf(failure.getMessage()).contains("codec 255"), failure.getMessage());
        }
    }

    private void assertNoticed(String what, SsTableInfo info, byte[] damaged) throws IOException {
        SimStorage copy = disk.crash(new CrashChoice.KeepAll());
        copy.replace("1.sst", damaged);
        assertThrows(
                CorruptionException.class,
                () -> {
                    try (SsTable table = open(copy, info)) {
                        Findings findings = new Findings();
                        table.verify(findings, (pointer, key, lsn) -> {});
                        assertTrue(findings.total() > 0, "verify does not notice " + what);
                        walk(table.cursor(false, 1 << 20), null, true);
                    }
                },
                what);
        assertEquals(0, copy.openResources());
    }

    /** Blocks carry where they belong: one that was written to another place or another file does not pass. */
    @Test
    void blocks_of_another_place_or_file_are_noticed() throws IOException {
        List<ListedEntry> entries = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            entries.add(ListedEntry.put(bytes("k" + (char) ('A' + i)), 1, bytes("same length")));
        }
        SsTableInfo info = write(options(16), entries);
        byte[] bytes = disk.bytes("1.sst");
        byte[] swapped = bytes.clone();
        int blockBytes;
        try (SsTable table = open(disk, info)) {
            blockBytes = table.index().length(0);
            assertEquals(blockBytes, table.index().length(1));
        }
        int first = SsTableFormat.HEADER_BYTES;
        System.arraycopy(bytes, first, swapped, first + blockBytes, blockBytes);
        System.arraycopy(bytes, first + blockBytes, swapped, first, blockBytes);
        assertFalse(Arrays.equals(bytes, swapped));
        assertNoticed("swapped blocks", info, swapped);
        SsTableInfo other = new SsTableInfo(
                2,
                info.bytes(),
                info.checksum(),
                info.entries(),
                0,
                info.minLsn(),
                info.maxLsn(),
                info.minKey(),
                info.maxKey());
        assertThrows(CorruptionException.class, () -> open(disk, other).close());
    }

    @Test
    void the_document_says_what_the_code_writes() throws IOException {
        String text = Documents.section("docs/file-formats.md", "### SSTable");
        assertTrue(text.contains(
                "Magic `" + SsTableFormat.HEADER.magic() + "`, version " + SsTableFormat.HEADER.version()));
    }
}

package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileReader;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.StorageException;
import io.kvstore.sealed.format.FileIdentity;
import io.kvstore.sealed.format.FileParts;
import io.kvstore.sealed.format.SealedFormat;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.Sweeps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files with damage answer right, or say what is damaged. Verification finds it all. */
final class SealedDamageTest {

    private static final String PATH = SmallFiles.PATH;
    /** A little more than one block. */
    private static final int ENTRIES = 5;

    private static final int POINTS = 40;
    private static final int VALUE_BYTES = 1_030;
    private static final int HEADER_FIELDS_BYTES = 64;

    private final SimStorage disk = new SimStorage();

    /** Files of all layouts. */
    static Stream<SmallFiles> files() {
        SmallFiles plain = SmallFiles.of(1, ENTRIES, VALUE_BYTES, true);
        return Stream.of(plain, plain.inBlocks(4 << 10), plain.as(Layout.PERFECT), points(1));
    }

    /** More than one block, in few bytes. */
    private static SmallFiles points(long seed) {
        return SmallFiles.of(seed, POINTS, 4, true).as(Layout.POINT);
    }

    private FileParts parts() throws IOException {
        byte[] bytes = disk.bytes(PATH);
        FileIdentity identity = SealedFormat.readHeader(PATH, Arrays.copyOf(bytes, SealedFormat.HEADER_BYTES));
        byte[] footer = Arrays.copyOfRange(bytes, bytes.length - SealedFormat.FOOTER_BYTES, bytes.length);
        return FileParts.read(PATH, bytes.length, footer, identity);
    }

    /**
     * Of the zeros behind the fields of the header one bit in each byte is flipped, of the fields every bit. Of the records
     * every seventh one is, of other parts every third, and with {@code -Dkv.fault.all=true} all: the bytes of a value are
     * noise, and any of them is as good as another.
     */
    @ParameterizedTest
    @MethodSource("files")
    void each_flipped_bit_is_found_and_gives_no_wrong_answer(SmallFiles file) throws IOException {
        file.build(disk);
        byte[] bytes = disk.bytes(PATH);
        assertTrue(file.isPoint() || parts().fenceCount() > 1);
        long dataEnd = parts().dataEnd();
        for (int bit = 0; bit < 8 * bytes.length; bit += step(bit / 8, dataEnd)) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            disk.replace(PATH, damaged);
            requireFound(file, "bit " + bit % 8 + " of byte " + bit / 8);
        }
        assertEquals(0, disk.openResources());
    }

    private static int step(int at, long dataEnd) {
        if (at > HEADER_FIELDS_BYTES && at < SealedFormat.HEADER_BYTES - Long.BYTES) {
            return 7;
        }
        if (at <= HEADER_FIELDS_BYTES || Sweeps.ALL) {
            return 1;
        }
        return at >= SealedFormat.HEADER_BYTES && at < dataEnd ? 7 : 3;
    }

    @ParameterizedTest
    @MethodSource("files")
    void a_file_that_was_cut_or_grew_is_refused(SmallFiles file) throws IOException {
        file.build(disk);
        byte[] bytes = disk.bytes(PATH);
        for (int length = 0; length < bytes.length; length++) {
            requireRefused(Arrays.copyOf(bytes, length), "cut to " + length);
        }
        for (int more = 0; more < 300; more++) {
            byte[] grown = Arrays.copyOf(bytes, bytes.length + 1 + more);
            Arrays.fill(grown, bytes.length, grown.length, (byte) more);
            requireRefused(grown, "grown by " + (1 + more));
        }
        byte[] twice = Arrays.copyOf(bytes, 2 * bytes.length);
        System.arraycopy(bytes, 0, twice, bytes.length, bytes.length);
        requireRefused(twice, "twice");
        assertEquals(0, disk.openResources());
    }

    /** Another build of entries of the same lengths has equal parts at equal places. */
    @ParameterizedTest
    @MethodSource("files")
    void a_part_of_another_file_does_not_pass(SmallFiles file) throws IOException {
        file.build(disk);
        FileParts parts = parts();
        byte[] bytes = disk.bytes(PATH);
        SmallFiles same = file.isPoint() ? points(2) : SmallFiles.of(2, ENTRIES, VALUE_BYTES, true);
        new SmallFiles(same.entries(), file.settings(), true).build(disk);
        byte[] other = disk.bytes(PATH);
        assertEquals(bytes.length, other.length);
        List<Long> ends = List.of(
                0L,
                (long) SealedFormat.HEADER_BYTES,
                parts.dataEnd(),
                parts.locator(),
                parts.fences(),
                parts.digests(),
                parts.properties(),
                (long) bytes.length - SealedFormat.FOOTER_BYTES,
                (long) bytes.length);
        for (int from = 0; from < ends.size(); from++) {
            for (int to = from + 1; to < ends.size(); to++) {
                paste(
                        file,
                        bytes,
                        other,
                        ends.get(from).intValue(),
                        ends.get(to).intValue());
            }
        }
        Random random = new Random(3);
        for (int i = 0; i < 1_000; i++) {
            int from = random.nextInt(bytes.length / 8) * 8;
            paste(file, bytes, other, from, Math.min(bytes.length, from + 8 * (1 + random.nextInt(100))));
        }
    }

    private void paste(SmallFiles file, byte[] bytes, byte[] other, int from, int to) throws IOException {
        byte[] mixed = bytes.clone();
        System.arraycopy(other, from, mixed, from, to - from);
        if (!Arrays.equals(mixed, bytes) && !Arrays.equals(mixed, other)) {
            disk.replace(PATH, mixed);
            requireFound(file, "from " + from + " to " + to + " of another file");
        }
    }

    /** In a long file the records are in other parts than the locator, whose digest does not tell of them. */
    @ParameterizedTest
    @MethodSource("files")
    void a_damaged_key_is_not_an_absent_one(SmallFiles small) throws IOException {
        if (small.isPoint()) {
            return; // no entry is long, and records and the perfect hash of a short file are in one part
        }
        NavigableMap<byte[], byte[]> entries = new TreeMap<>(small.entries());
        byte[] noise = new byte[2 * SealedFormat.PART_BYTES];
        new Random(1).nextBytes(noise);
        entries.put(SmallFiles.key(2 * ENTRIES), noise);
        new SmallFiles(entries, small.settings(), true).build(disk);
        assertTrue(parts().locator() > 2 * SealedFormat.PART_BYTES);
        byte[] bytes = disk.bytes(PATH);
        int found = 0;
        int sparse = Sweeps.count(40, 100);
        for (int bit = 0; bit < 8 * ENTRIES * VALUE_BYTES; bit += 1 + bit / sparse) {
            int at = SealedFormat.HEADER_BYTES + bit / 8;
            bytes[at] ^= (byte) (1 << bit % 8);
            disk.replace(PATH, bytes);
            try (TableFileReader file = SmallFiles.open(disk)) {
                for (Map.Entry<byte[], byte[]> entry : small.entries().entrySet()) {
                    try {
                        assertArrayEquals(entry.getValue(), file.get(entry.getKey()), "bit " + bit);
                    } catch (CorruptionException e) {
                        requireTyped(e, "bit " + bit);
                        found++;
                    }
                }
            }
            bytes[at] ^= (byte) (1 << bit % 8);
        }
        assertTrue(found > 100, found + " found");
    }

    @Test
    void foreign_files_are_refused() throws IOException {
        disk.create(PATH).close();
        Random random = new Random(1);
        for (int length : new int[] {0, 1, 15, 16, 63, 64, 4_095, 4_096, 4_159, 4_160, 10_000, 2_000_000}) {
            byte[] noise = new byte[length];
            requireRefused(noise, length + " zeros");
            random.nextBytes(noise);
            requireRefused(noise, length + " random bytes");
            Arrays.fill(noise, (byte) 'a');
            requireRefused(noise, length + " letters");
        }
        byte[] table = Arrays.copyOf("KVSSTBL1".getBytes(StandardCharsets.US_ASCII), 10_000);
        disk.replace(PATH, table);
        CorruptionException refused = assertThrows(CorruptionException.class, () -> SmallFiles.open(disk));
        assertEquals(
                PATH + " at offset 0: this is not a sealed table file (its first 8 bytes are wrong)",
                refused.getMessage());
        assertEquals(0, disk.openResources());
    }

    @Test
    void a_newer_version_is_refused_with_what_can_be_done() throws IOException {
        SmallFiles.of(1, ENTRIES, VALUE_BYTES, true).build(disk);
        byte[] bytes = disk.bytes(PATH);
        ByteWriter newer = new ByteWriter();
        new FileHeader("KVSEALD1", "sealed table file", 2).write(newer, 0);
        System.arraycopy(newer.toArray(), 0, bytes, 0, newer.size());
        disk.replace(PATH, bytes);
        StorageException refused = assertThrows(StorageException.class, () -> SmallFiles.open(disk));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.startsWith(PATH + " is a sealed table file of version 2"), message);
        assertEquals(0, disk.openResources());
    }

    @ParameterizedTest
    @MethodSource("files")
    void what_is_damaged_is_named(SmallFiles file) throws IOException {
        file.build(disk);
        FileParts parts = parts();
        byte[] bytes = disk.bytes(PATH);
        if (file.isPoint()) {
            requireDamagedPointsNamed(bytes, parts);
        } else {
            requireDamagedPartsNamed(file, bytes, parts);
        }
        assertEquals("the checksum of the digests is wrong", refusalAfterFlip(bytes, (int) parts.digests()));
        assertEquals("the checksum of the properties is wrong", refusalAfterFlip(bytes, (int) parts.properties()));
        assertEquals(
                "the checksum of the footer does not fit to this file",
                refusalAfterFlip(bytes, bytes.length - SealedFormat.FOOTER_BYTES));
    }

    private void requireDamagedPartsNamed(SmallFiles file, byte[] bytes, FileParts parts) throws IOException {
        Findings data = findingsAfterFlip(bytes, SealedFormat.HEADER_BYTES + 100);
        requireNamed(data, "the digest of " + parts.digests() + " bytes is wrong");
        requireNamed(
                data,
                " at offset " + SealedFormat.HEADER_BYTES
                        + (file.isInBlocks() ? ": the checksum of a block is wrong" : ": the record is damaged"));
        Findings locator = findingsAfterFlip(bytes, (int) parts.locator());
        requireNamed(locator, "the digest of " + parts.digests() + " bytes is wrong");
        requireNamed(locator, "the locator does not lead to entry ");
        Findings fences = findingsAfterFlip(bytes, (int) parts.fences());
        requireNamed(fences, "the digest of " + parts.digests() + " bytes is wrong");
        requireNamed(fences, "the fence of block 0 is not that of its first key");
        Findings ordinals = findingsAfterFlip(bytes, (int) parts.fences() + 2 * Long.BYTES);
        requireNamed(ordinals, " records, and by its fence ");
    }

    private void requireDamagedPointsNamed(byte[] bytes, FileParts parts) throws IOException {
        String digest = "the digest of " + parts.digests() + " bytes is wrong";
        Findings data = findingsAfterFlip(bytes, SealedFormat.HEADER_BYTES + 1);
        requireNamed(data, digest);
        requireNamed(data, " at offset " + SealedFormat.HEADER_BYTES + ": the record is damaged");
        Findings order = findingsAfterFlip(bytes, (int) parts.fences());
        requireNamed(order, digest);
        requireNamed(order, "entry 0 does not follow the one before it");
        assertEquals("the checksum of the perfect hash is wrong", refusalAfterFlip(bytes, (int) parts.fences() - 32));
    }

    private static void requireNamed(Findings findings, String message) {
        String found = findings.kept().toString();
        assertTrue(found.contains(message), found);
        assertTrue(findings.total() < 5, found);
    }

    private Findings findingsAfterFlip(byte[] bytes, int at) throws IOException {
        byte[] damaged = bytes.clone();
        damaged[at] ^= 1;
        disk.replace(PATH, damaged);
        Findings findings = new Findings();
        try (TableFileReader file = SmallFiles.open(disk)) {
            file.verify(findings, Progress.NONE);
        }
        for (Findings.Finding finding : findings.kept()) {
            assertEquals(PATH, finding.file());
        }
        return findings;
    }

    private String refusalAfterFlip(byte[] bytes, int at) throws IOException {
        byte[] damaged = bytes.clone();
        damaged[at] ^= 1;
        disk.replace(PATH, damaged);
        CorruptionException refused = assertThrows(CorruptionException.class, () -> SmallFiles.open(disk));
        return String.valueOf(refused.getMessage())
                .replaceFirst(PATH + " at offset [0-9]+: ", "")
                .replaceFirst("; put a sound copy.*", "");
    }

    private void requireRefused(byte[] bytes, String what) throws IOException {
        disk.replace(PATH, bytes);
        CorruptionException refused = assertThrows(CorruptionException.class, () -> SmallFiles.open(disk), what);
        requireTyped(refused, what);
    }

    private void requireTyped(CorruptionException refused, String what) throws IOException {
        assertEquals(PATH, refused.file(), what);
        assertTrue(refused.offset() >= 0 && refused.offset() <= disk.sizeOf(PATH), () -> what + ": " + refused);
    }

    /** The damage is found by the opening or by verification, and until then no answer is wrong. */
    private void requireFound(SmallFiles expected, String what) throws IOException {
        try (TableFileReader file = SmallFiles.open(disk)) {
            for (SmallFiles.Question question : expected.questions(file)) {
                try {
                    question.ask();
                } catch (CorruptionException e) {
                    requireTyped(e, what);
                } catch (RuntimeException | AssertionError e) {
                    throw new AssertionError(what + ": " + e, e);
                }
            }
            Findings findings = new Findings();
            file.verify(findings, Progress.NONE);
            assertTrue(findings.total() > 0, () -> what + " is not found");
        } catch (CorruptionException e) {
            requireTyped(e, what);
        }
    }
}

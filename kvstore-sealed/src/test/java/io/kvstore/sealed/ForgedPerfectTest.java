package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.Checksum;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileReader;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.error.CorruptionException;
import io.kvstore.sealed.format.PointFormat;
import io.kvstore.sealed.format.SealedFormat;
import io.kvstore.sealed.perfect.PerfectEnd;
import io.kvstore.sealed.perfect.PerfectHash;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of a perfect hash that breaks a rule although all checksums are right. */
@ParameterizedClass
@MethodSource("files")
final class ForgedPerfectTest {

    private static final int ENTRIES = 100;
    private static final int VALUE_BYTES = 8;
    private static final int LARGE_TABLE = 1 << 20;

    private final SimStorage disk = new SimStorage();
    private final SmallFiles entries;
    private Forgery forged;

    ForgedPerfectTest(SmallFiles entries) throws IOException {
        this.entries = entries;
        entries.build(disk);
        forged = new Forgery(disk);
    }

    static Stream<SmallFiles> files() {
        SmallFiles plain = SmallFiles.of(3, ENTRIES, VALUE_BYTES, true);
        SmallFiles perfect = plain.as(Layout.PERFECT);
        return Stream.of(perfect, perfect.inBlocks(512), plain.as(Layout.POINT));
    }

    @BeforeEach
    void read() throws IOException {
        entries.build(disk);
        forged = new Forgery(disk);
        assertEquals(List.of(), forged.findings().kept());
    }

    /** Where the figures behind the table begin. */
    private int end() {
        return (int) forged.parts.fences() - PerfectEnd.BYTES;
    }

    private int table() {
        return end() - PerfectHash.PART_BYTES;
    }

    /** Makes the checksum of the table right again, too. */
    private void signAll() throws IOException {
        int from = table();
        int length = (int) forged.parts.fences() - Integer.BYTES - from;
        forged.buffer()
                .putInt(from + length, Checksum.seeded(forged.identity.seed(), from, forged.bytes, from, length));
        forged.sign();
    }

    private void requireRefused(String message) throws IOException {
        signAll();
        CorruptionException refused = assertThrows(CorruptionException.class, () -> SmallFiles.open(disk));
        assertTrue(String.valueOf(refused.getMessage()).contains(message), refused::toString);
        assertEquals(0, disk.openResources());
    }

    private void requireFinding(String message) throws IOException {
        signAll();
        Findings findings = forged.findings();
        assertTrue(
                findings.kept().stream().anyMatch(finding -> finding.message().contains(message)),
                () -> message + " is not among " + findings.kept());
    }

    @Test
    void figures_that_cannot_be_are_refused() throws IOException {
        for (long extras : new long[] {-1, ENTRIES, LARGE_TABLE, Long.MAX_VALUE, Long.MIN_VALUE}) {
            read();
            forged.buffer().putLong(end(), extras);
            requireRefused("the perfect hash");
        }
        for (int partBits : new int[] {1, 7, 26, 31, 32, 63, 64, 255}) {
            read();
            forged.bytes[end() + Long.BYTES] = (byte) partBits;
            requireRefused("the perfect hash cannot be that of " + ENTRIES + " keys");
        }
        for (int slotBytes : new int[] {0, 1, 8, 255}) {
            for (int placeBits : new int[] {0, 1, 63, 64, 255}) {
                if (slotBytes != 0 || placeBits != 0) {
                    read();
                    forged.bytes[end() + Long.BYTES + 1] = (byte) slotBytes;
                    forged.bytes[end() + Long.BYTES + 2] = (byte) placeBits;
                    requireRefused("");
                }
            }
        }
        read();
        forged.bytes[end() + Long.BYTES + 3] = 1;
        requireRefused("has a field that this release does not know");
    }

    @Test
    void parts_that_cannot_be_are_found() throws IOException {
        for (long number : new long[] {-1, 0, 1, ENTRIES - 1, 1L << 31, 1L << 32, 1L << 47, 1L << 48, Long.MIN_VALUE}) {
            for (int field = 0; field < 2; field++) {
                read();
                forged.buffer().putLong(table() + field * Long.BYTES, number);
                signAll();
                assertTrue(isFound(field + " is " + number));
            }
        }
    }

    /** Any byte of the perfect hash, of the list of slots and of records has another value. */
    @Test
    void whatever_is_in_the_bytes_the_answers_are_typed() throws IOException {
        byte[] sound = forged.bytes.clone();
        int from = entries.isPoint() ? SealedFormat.HEADER_BYTES : (int) forged.parts.locator();
        int found = 0;
        for (int at = from; at < forged.parts.digests(); at++) {
            for (int change : new int[] {1, 0x80, 0xFF, 0x7F}) {
                System.arraycopy(sound, 0, forged.bytes, 0, sound.length);
                forged.bytes[at] ^= (byte) change;
                signAll();
                found += isFound("byte " + at + " ^ " + change) ? 1 : 0;
            }
        }
        assertTrue(found > 4 * ENTRIES, found + " found");
        assertEquals(0, disk.openResources());
    }

    /** Returns false if verification finds nothing, and then all answers have to be right. */
    private boolean isFound(String what) throws IOException {
        try (TableFileReader file = SmallFiles.open(disk)) {
            Findings findings = new Findings();
            file.verify(findings, Progress.NONE);
            for (SmallFiles.Question question : entries.questions(file)) {
                try {
                    question.ask();
                } catch (CorruptionException | AssertionError e) {
                    assertTrue(findings.total() > 0, () -> what + " is not found, but " + e);
                }
            }
            return findings.total() > 0;
        } catch (CorruptionException e) {
            assertEquals(SmallFiles.PATH, e.file(), what);
            return true;
        }
    }

    @Test
    void slots_that_lead_elsewhere() throws IOException {
        if (entries.isPoint()) {
            return; // slots have records
        }
        int slotBytes = forged.bytes[end() + Long.BYTES + 1];
        int at = (int) forged.parts.locator();
        while (forged.bytes[at] == 0 && forged.bytes[at + 1] == 0) {
            at += slotBytes;
        }
        byte[] slot = Arrays.copyOfRange(forged.bytes, at, at + slotBytes);
        forged.bytes[at] ^= 1;
        requireFinding("the locator does not lead to entry ");
        System.arraycopy(slot, 0, forged.bytes, at, slotBytes);
        Arrays.fill(forged.bytes, at, at + slotBytes, (byte) 0);
        requireFinding("the locator does not lead to entry ");
        requireFinding("the locator has " + (ENTRIES - 1) + " places for " + ENTRIES + " entries");
    }

    @Test
    void a_slot_too_many() throws IOException {
        if (entries.isPoint()) {
            return; // slots have records
        }
        int slotBytes = forged.bytes[end() + Long.BYTES + 1];
        long slots = forged.buffer().getLong(table());
        assertTrue(slots > ENTRIES);
        for (int slot = 0; slot < slots; slot++) {
            int at = (int) forged.parts.locator() + slot * slotBytes;
            if (Arrays.equals(Arrays.copyOfRange(forged.bytes, at, at + slotBytes), new byte[slotBytes])) {
                forged.bytes[at] = 1;
                break;
            }
        }
        requireFinding("the locator has " + (ENTRIES + 1) + " places for " + ENTRIES + " entries");
    }

    @Test
    void a_list_of_slots_in_another_order() throws IOException {
        if (!entries.isPoint()) {
            return; // no other layout has the list
        }
        int at = (int) forged.parts.fences();
        int first = forged.buffer().getInt(at);
        int second = forged.buffer().getInt(at + PointFormat.ORDER_BYTES);
        forged.buffer().putInt(at, second).putInt(at + PointFormat.ORDER_BYTES, first);
        requireFinding("entry 1 does not follow the one before it");
        forged.buffer().putInt(at, first).putInt(at + PointFormat.ORDER_BYTES, first);
        requireFinding("entry 1 does not follow the one before it");
        forged.buffer().putInt(at + PointFormat.ORDER_BYTES, -1);
        requireFinding("record 1 of the file is in slot 4294967295 of ");
    }

    /** A copy in a slot that no key leads to must not be a record of its own. */
    @Test
    void a_record_that_is_not_in_the_list() throws IOException {
        if (!entries.isPoint()) {
            return; // no other layout has records in slots
        }
        PointFormat format = new PointFormat("key-00000".length(), VALUE_BYTES);
        long slots = forged.buffer().getLong(table());
        assertTrue(slots > ENTRIES);
        boolean[] used = new boolean[(int) slots];
        for (int i = 0; i < ENTRIES; i++) {
            used[forged.buffer().getInt((int) forged.parts.fences() + PointFormat.ORDER_BYTES * i)] = true;
        }
        int free = 0;
        while (used[free]) {
            free++;
        }
        try (TableFileReader file = SmallFiles.open(disk)) {
            assertEquals(ENTRIES, file.info().entries());
        }
        int at = (int) format.offsetOf(free);
        for (int number = 1; !requireOrphan(format, at, number); number += 2) {
            assertTrue(number < 99_999);
        }
    }

    /** Whether a key that is absent leads to a slot, in which case it is a finding that its record is there. */
    private boolean requireOrphan(PointFormat format, int at, int number) throws IOException {
        byte[] key = SmallFiles.key(number);
        System.arraycopy(key, 0, forged.bytes, at, key.length);
        forged.buffer()
                .putInt(
                        at + format.entryBytes(),
                        Checksum.seeded(forged.identity.seed(), at, forged.bytes, at, format.entryBytes()));
        signAll();
        boolean isThere;
        try (TableFileReader file = SmallFiles.open(disk)) {
            isThere = file.contains(key);
        }
        if (isThere) {
            requireFinding("the locator has " + (ENTRIES + 1) + " places for " + ENTRIES + " entries");
        }
        return isThere;
    }
}

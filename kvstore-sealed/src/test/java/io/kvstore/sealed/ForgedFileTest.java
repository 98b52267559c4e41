package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Findings;
import io.kvstore.engine.TableFileReader;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.sealed.format.Fence;
import io.kvstore.sealed.format.FileParts;
import io.kvstore.sealed.format.LocatorLine;
import io.kvstore.sealed.format.SealedFormat;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What verification says of a file that breaks a rule although all checksums are right, as a wrong builder would make it. */
@ParameterizedClass
@MethodSource("files")
final class ForgedFileTest {

    private static final int ENTRIES = 300;

    private final SimStorage disk = new SimStorage();
    private final SmallFiles entries;
    private byte[] bytes = {};
    private final FileParts parts;
    private Forgery forged;

    ForgedFileTest(SmallFiles entries) throws IOException {
        this.entries = entries;
        entries.build(disk);
        forged = new Forgery(disk);
        parts = forged.parts;
    }

    static Stream<SmallFiles> files() {
        SmallFiles plain = SmallFiles.of(3, ENTRIES, 100, true);
        return Stream.of(plain, plain.inBlocks(512));
    }

    @BeforeEach
    void read() throws IOException {
        forged = new Forgery(disk);
        bytes = forged.bytes;
        assertEquals(List.of(), findings().kept());
    }

    private ByteBuffer buffer() {
        return forged.buffer();
    }

    private void sign() throws IOException {
        forged.sign();
    }

    private Findings findings() throws IOException {
        return forged.findings();
    }

    private void requireFinding(String message) throws IOException {
        sign();
        Findings findings = findings();
        assertTrue(
                findings.kept().stream().anyMatch(finding -> finding.message().contains(message)),
                () -> message + " is not among " + findings.kept());
    }

    private int word(int number) {
        return (int) parts.locator() + number * Long.BYTES;
    }

    private int fence(int block, int field) {
        return (int) parts.fences() + block * Fence.BYTES + field * Long.BYTES;
    }

    @Test
    void a_line_that_hides_what_it_has_spilled() throws IOException {
        int hidden = 0;
        for (int line = 0; line < parts.lines(); line++) {
            int at = word(line * LocatorLine.WORDS);
            long first = buffer().getLong(at);
            if (LocatorLine.hasSpilled(first)) {
                buffer().putLong(at, first & ~LocatorLine.PLACES);
                hidden++;
            }
        }
        assertTrue(hidden > 0);
        requireFinding("the locator does not lead to entry ");
    }

    @Test
    void a_word_that_is_missing() throws IOException {
        buffer().putLong(word(0), 0);
        requireFinding("the locator does not lead to entry ");
        requireFinding("places for " + ENTRIES + " entries");
    }

    @Test
    void a_word_too_many() throws IOException {
        for (int number = 0; number < parts.lines() * LocatorLine.WORDS; number++) {
            if (buffer().getLong(word(number)) == 0) {
                buffer().putLong(word(number), LocatorLine.word(1, SealedFormat.HEADER_BYTES));
                break;
            }
        }
        requireFinding("the locator has " + (ENTRIES + 1) + " places for " + ENTRIES + " entries");
    }

    @Test
    void a_word_that_leads_elsewhere() throws IOException {
        buffer().putLong(word(0), buffer().getLong(word(0)) + 1);
        requireFinding("the locator does not lead to entry ");
    }

    @Test
    void words_that_lead_behind_the_records_are_damage_to_a_get() throws IOException {
        for (int number = 0; number < parts.lines() * LocatorLine.WORDS; number++) {
            if (buffer().getLong(word(number)) != 0) {
                buffer().putLong(word(number), buffer().getLong(word(number)) | LocatorLine.PLACES >>> 1);
            }
        }
        sign();
        try (TableFileReader file = SmallFiles.open(disk)) {
            for (byte[] key : entries.entries().keySet()) {
                assertThrows(CorruptionException.class, () -> file.get(key));
            }
        }
    }

    @Test
    void a_fence_with_the_head_of_another_key() throws IOException {
        buffer().putLong(fence(2, 0), buffer().getLong(fence(3, 0)));
        requireFinding("the fence of block 2 is not that of its first key");
    }

    @Test
    void a_fence_at_another_place() throws IOException {
        buffer().putLong(fence(2, 1), buffer().getLong(fence(3, 1)));
        requireFinding("block 2 has 0 bytes");
    }

    @Test
    void a_fence_that_counts_wrong() throws IOException {
        buffer().putLong(fence(2, 2), buffer().getLong(fence(2, 2)) + 1);
        requireFinding(" records, and by its fence ");
    }

    @Test
    void fences_that_leave_out_the_first_records() throws IOException {
        System.arraycopy(bytes, fence(1, 0), bytes, fence(0, 0), Fence.BYTES);
        requireFinding("block 0 has 0 bytes");
    }

    @Test
    void a_codec_that_is_not_there() throws IOException {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int at = text.indexOf("DEFLATE", (int) parts.properties());
        assertEquals(entries.isInBlocks(), at > 0);
        if (entries.isInBlocks()) {
            System.arraycopy("MISSING".getBytes(StandardCharsets.ISO_8859_1), 0, bytes, at, 7);
            sign();
            InvalidRequestException refused = assertThrows(InvalidRequestException.class, () -> SmallFiles.open(disk));
            assertEquals(
                    "the file cannot be read here: there is no codec MISSING on the class path; there are NONE and [DEFLATE]."
                            + " Add kvstore-codec-missing.jar",
                    refused.getMessage());
            assertEquals(0, disk.openResources());
        }
    }

    @Test
    void properties_that_say_something_else() throws IOException {
        bytes[(int) parts.properties() + 2]++; // bytes of keys
        requireFinding("the properties say " + ENTRIES);
    }
}

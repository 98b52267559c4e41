package io.kvstore.sealed.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.Documents;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The numbers of a sealed file, as its document has them. */
final class SealedFormatTest {

    private static final String DOCUMENT = "docs/sealed-file-format.md";

    @Test
    void format_is_documented() throws IOException {
        String text = Documents.section("docs/file-formats.md", "## Sealed file (`SealedFormat`)");
        assertTrue(
                text.contains("Magic `" + SealedFormat.HEADER.magic() + "`, version " + SealedFormat.HEADER.version()));
        assertTrue(text.contains("(sealed-file-format.md)"));
    }

    @Test
    void numbers_are_documented() throws IOException {
        String text = Documents.read(DOCUMENT);
        requireText(text, SealedFormat.HEADER_BYTES + " | data");
        requireText(text, "crc of 1 MiB of the file");
        assertEquals(1 << 20, SealedFormat.PART_BYTES);
        requireText(text, "lines of " + LocatorLine.BYTES + "\nbytes, eight words");
        assertEquals(8, LocatorLine.WORDS);
        requireText(text, "bit 47 ");
        assertEquals(1L << 47, LocatorLine.PLACES);
        requireText(text, "A fence is " + Fence.BYTES + " bytes");
        assertEquals(4 << 10, Fence.SPAN_BYTES);
        requireText(text, "1 to 4,096");
        assertEquals(4_096, BlockFormat.MOST_RECORDS);
        requireText(text, "at most 1 MiB");
        assertEquals(1 << 20, BlockFormat.MOST_BLOCK_BYTES);
        requireText(text, "at most 1,024 times");
        assertEquals(1_024, BlockFormat.MOST_RATIO);
        assertEquals(64, SealedFormat.FOOTER_BYTES);
        requireText(text, "`entries * 5 / 34` lines");
        assertEquals(5, LocatorLine.homes(34));
        assertEquals(6, LocatorLine.homes(35));
    }

    private static void requireText(String document, String text) {
        assertTrue(document.contains(text), () -> DOCUMENT + " does not say: " + text);
    }

    /** The block and the number come back, and no place is 0. */
    @Test
    void places_in_blocks() {
        long last = BlockFormat.MOST_BLOCKS - 1;
        for (long block : new long[] {0, 1, 4_095, 4_096, 1L << 31, last}) {
            for (int record : new int[] {0, 1, BlockFormat.MOST_RECORDS - 1}) {
                long place = BlockFormat.place(block, record);
                assertTrue(place > 0 && place < LocatorLine.PLACES);
                assertEquals(block, BlockFormat.blockOf(place));
                assertEquals(record, BlockFormat.recordOf(place));
            }
        }
    }

    /** Slots on both sides of 2 and 4 GiB, and the last. */
    @Test
    void offsets_of_slots() {
        PointFormat format = new PointFormat(8, 8);
        assertEquals(20, format.recordBytes());
        assertEquals(SealedFormat.HEADER_BYTES, format.offsetOf(0));
        assertEquals(4_096 + 20L * (1L << 31), format.offsetOf(1L << 31));
        assertEquals(4_096 + 20L * ((1L << 32) - 1), format.offsetOf(PointFormat.MOST_SLOTS - 1));
        assertEquals(64, new PointFormat(60, 0).recordBytes());
    }
}

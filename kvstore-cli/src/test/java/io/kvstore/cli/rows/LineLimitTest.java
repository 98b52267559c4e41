package io.kvstore.cli.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The advice about lines that are too long. */
final class LineLimitTest {

    @Test
    void more_is_advised_where_more_can_be_given() {
        assertEquals(
                "give more to --max-line",
                LineLimit.ofOption(LineLimit.GREATEST_BYTES - 1).remedy());
        assertEquals(
                "no longer one is read; make it shorter, or leave the row out",
                LineLimit.ofOption(LineLimit.GREATEST_BYTES).remedy());
    }
}

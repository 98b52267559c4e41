package io.kvstore.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Each number has one name, in ASCII digits, and no other name is taken for a number. */
final class NumberedNameTest {

    private static final NumberedName NAMES = new NumberedName(8, ".val");

    @Test
    void a_number_has_one_name() {
        assertEquals("00000000.val", NAMES.of(0));
        assertEquals("00000012.val", NAMES.of(12));
        assertEquals("123456789.val", NAMES.of(123_456_789));
        for (long number : List.of(0L, 7L, 99_999_999L, 100_000_000L, Long.MAX_VALUE - 1, Long.MAX_VALUE)) {
            assertEquals(number, NAMES.numberIn(NAMES.of(number)), NAMES.of(number));
        }
        assertThrows(IllegalArgumentException.class, () -> NAMES.of(-1));
    }

    @Test
    void what_has_another_name_has_no_number() {
        for (String name : List.of(
                "",
                ".val",
                "1.val",
                "000000001.val",
                "00000001.sst",
                "00000001.val.tmp",
                "-0000001.val",
                "+0000001.val",
                "0000000a.val",
                "\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0661.val",
                "9223372036854775808.val",
                "9999999999999999999.val",
                "10000000000000000000.val")) {
            assertEquals(-1, NAMES.numberIn(name), name);
        }
    }
}

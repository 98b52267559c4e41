package io.kvstore.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.CorruptionException;
import io.kvstore.error.InvalidRequestException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is given for a parameter, and what is kept of it. */
final class TableParameterTest {

    @Test
    void whole_number_at_below_and_above_its_limits() {
        TableParameter parameter = TableParameter.wholeNumber("N", 7, 5, 10);
        assertEquals("7", parameter.defaultValue());
        for (Object legal : List.of(5, 10L, "6", " 7 ", (short) 8, (byte) 9)) {
            assertEquals(legal.toString().strip(), parameter.canonicalOf(legal));
        }
        for (Object illegal : List.of(4, 11, "", "x", "5.0", 5.5, Long.MAX_VALUE, "99999999999999999999", true)) {
            InvalidRequestException refused =
                    assertThrows(InvalidRequestException.class, () -> parameter.canonicalOf(illegal));
            String message = String.valueOf(refused.getMessage());
            assertTrue(message.contains("N") && message.contains("5 to 10"), message);
        }
        assertEquals("6", parameter.canonicalOf("+06"));
    }

    @Test
    void fraction_excludes_its_limits() {
        TableParameter parameter = TableParameter.fraction("F", 0.01, 0, 1);
        assertEquals("0.01", parameter.defaultValue());
        assertEquals("0.5", parameter.canonicalOf(0.5));
        assertEquals("0.5", parameter.canonicalOf("5e-1"));
        assertEquals("1.0E-9", parameter.canonicalOf(1e-9));
        for (Object illegal : List.of(0, 1, 0.0, 1.0, -0.5, Double.NaN, Double.POSITIVE_INFINITY, "NaN", "x")) {
            assertThrows(InvalidRequestException.class, () -> parameter.canonicalOf(illegal));
        }
    }

    @Test
    void flag_and_choice_accept_any_letter_case() {
        TableParameter flag = TableParameter.flag("B", true);
        assertEquals("true", flag.defaultValue());
        assertEquals("false", flag.canonicalOf("FALSE"));
        assertEquals("true", flag.canonicalOf(true));
        assertThrows(InvalidRequestException.class, () -> flag.canonicalOf("yes"));
        assertThrows(InvalidRequestException.class, () -> flag.canonicalOf(1));
        TableParameter choice = TableParameter.choice("C", "ONE", List.of("ONE", "TWO"));
        assertEquals("TWO", choice.canonicalOf("two"));
        InvalidRequestException refused =
                assertThrows(InvalidRequestException.class, () -> choice.canonicalOf("three"));
        assertTrue(String.valueOf(refused.getMessage()).contains("ONE or TWO"));
    }

    @Test
    void other_kinds_of_objects_are_refused() {
        TableParameter parameter = TableParameter.wholeNumber("N", 7, 5, 10);
        InvalidRequestException refused =
                assertThrows(InvalidRequestException.class, () -> parameter.canonicalOf(List.of(5)));
        assertTrue(String.valueOf(refused.getMessage()).contains("give a number"));
    }

    @Test
    void properties_are_read_by_kind_and_compared_by_value() {
        TableProperties properties = new TableProperties(Map.of("N", "7", "F", "0.5", "B", "true"));
        assertEquals(7, properties.wholeNumber("N"));
        assertEquals(0.5, properties.fraction("F"));
        assertTrue(properties.flag("B"));
        assertEquals(List.of("B", "F", "N"), List.copyOf(properties.asMap().keySet()));
        assertThrows(CorruptionException.class, () -> properties.text("none"));
        assertThrows(CorruptionException.class, () -> properties.wholeNumber("B"));
        assertThrows(CorruptionException.class, () -> properties.fraction("B"));
        assertThrows(CorruptionException.class, () -> new TableProperties(Map.of("DURABILITY", "?")).durability());
        assertEquals(properties, new TableProperties(properties.asMap()));
        assertNotEquals(properties, new TableProperties(Map.of()));
    }

    @Test
    void tags_of_equal_values_are_equal_and_of_others_not() {
        assertEquals(ValueTag.of(new byte[] {1, 2}), ValueTag.of(new byte[] {1, 2}));
        assertNotEquals(ValueTag.of(new byte[] {1, 2}), ValueTag.of(new byte[] {2, 1}));
        assertNotEquals(ValueTag.of(new byte[0]), ValueTag.of(new byte[1]));
        byte[] value = {3};
        assertTrue(new Condition.TagIs(new byte[0], ValueTag.of(value)).holds(value));
        assertTrue(!new Condition.TagIs(new byte[0], ValueTag.of(value)).holds(null));
        assertTrue(new Condition.ValueIs(new byte[0], value).holds(value.clone()));
        assertTrue(new Condition.Absent(value).holds(null) && !new Condition.Exists(value).holds(null));
    }

    @Test
    void stronger_durability_wins() {
        assertEquals(Durability.SYNC, Durability.BUFFERED.orStronger(Durability.SYNC));
        assertEquals(Durability.SYNC, Durability.SYNC.orStronger(Durability.BUFFERED));
        assertEquals(Durability.BUFFERED, Durability.BUFFERED.orStronger(Durability.BUFFERED));
    }
}

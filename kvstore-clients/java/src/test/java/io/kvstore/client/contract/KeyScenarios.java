package io.kvstore.client.contract;

import static io.kvstore.client.contract.Stage.bytes;
import static io.kvstore.client.contract.Stage.fails;
import static io.kvstore.client.contract.Stage.pattern;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.client.ClientCondition;
import io.kvstore.client.ClientDurability;
import io.kvstore.client.ClientTable;
import io.kvstore.client.TaggedValue;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.InvalidRequestException;
import io.kvstore.client.error.TooLargeException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Single keys: reading, writing, limits and conditions. */
public interface KeyScenarios extends Stage {

    /** Each byte value can be a part of a key. */
    @OnBothEngines
    default void keys_have_all_byte_values(String engine) {
        ClientTable table = newTable(engine);
        for (int i = 0; i < 256; i++) {
            table.put(new byte[] {(byte) i, 0, (byte) i}, new byte[] {(byte) i});
        }
        for (int i = 0; i < 256; i++) {
            assertArrayEquals(new byte[] {(byte) i}, table.get(new byte[] {(byte) i, 0, (byte) i}));
        }
        assertEquals(256, table.count());
    }

    /** A key can be put, read, overwritten and removed. */
    @OnBothEngines
    default void a_value_is_put_and_removed(String engine) {
        ClientTable table = newTable(engine);
        assertNull(table.get("a"));
        assertFalse(table.contains("a"));
        table.put("a", bytes("1"));
        table.withDurability(ClientDurability.SYNC).put("a", bytes("2"));
        assertArrayEquals(bytes("2"), table.get("a"));
        assertTrue(table.contains("a"));
        table.remove("a");
        table.remove("a");
        assertNull(table.get("a"));
        assertFalse(table.contains("a"));
    }

    /** Text is UTF-8. */
    @OnBothEngines
    default void text_keys_are_utf8(String engine) {
        ClientTable table = newTable(engine);
        table.put("\u00e4\ud83d\ude00", bytes("1"));
        assertArrayEquals(bytes("1"), table.get(bytes("\u00e4\ud83d\ude00")));
        assertThrows(InvalidRequestException.class, () -> table.get("\ud83d"));
    }

    /** An empty value is a value. */
    @OnBothEngines
    default void an_empty_value_is_a_value(String engine) {
        ClientTable table = newTable(engine);
        table.put("a", new byte[0]);
        assertArrayEquals(new byte[0], table.get("a"));
        assertTrue(table.contains("a"));
    }

    /** Keys have 0 to 65,535 bytes. */
    @OnBothEngines
    default void keys_have_limits(String engine) {
        ClientTable table = newTable(engine);
        table.put(new byte[0], bytes("empty"));
        assertArrayEquals(bytes("empty"), table.get(new byte[0]));
        byte[] longest = pattern(65_535);
        table.put(longest, bytes("long"));
        assertArrayEquals(bytes("long"), table.get(longest));
        byte[] tooLong = pattern(65_536);
        fails(TooLargeException.class, ErrorCode.TOO_LARGE, () -> table.put(tooLong, bytes("x")));
        fails(TooLargeException.class, ErrorCode.TOO_LARGE, () -> table.get(tooLong));
        assertEquals(2, table.count());
    }

    /** A value of 8 MiB comes back as it was. */
    @OnBothEngines
    default void large_values_come_back(String engine) {
        ClientTable table = newTable(engine);
        byte[] value = pattern(8 << 20);
        table.put("large", value);
        assertArrayEquals(value, table.get("large"));
    }

    /** A value over the limit is refused, and the client goes on. */
    @OnBothEngines
    default void a_value_over_the_limit_is_refused(String engine) {
        ClientTable table = newTable(engine);
        byte[] value = new byte[(int) client().serverInfo().maxValueBytes() + 1];
        fails(TooLargeException.class, ErrorCode.TOO_LARGE, () -> table.put("large", value));
        assertNull(table.get("large"));
        table.put("small", bytes("1"));
        assertArrayEquals(bytes("1"), table.get("small"));
    }

    /** Several keys at once, with missing and repeated ones. */
    @OnBothEngines
    default void values_come_in_the_order_of_their_keys(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 10);
        List<byte @Nullable []> values = table.getAll("k00007", "missing", "k00001", "k00007");
        assertEquals(4, values.size());
        assertArrayEquals(bytes("vk00007"), values.get(0));
        assertNull(values.get(1));
        assertArrayEquals(bytes("vk00001"), values.get(2));
        assertArrayEquals(bytes("vk00007"), values.get(3));
        assertEquals(List.of(), table.getAll());
    }

    /** Conditions on the value. */
    @OnBothEngines
    default void a_value_is_compared_before_it_changes(String engine) {
        ClientTable table = newTable(engine);
        assertTrue(table.putIfAbsent("a", bytes("1")));
        assertFalse(table.putIfAbsent("a", bytes("2")));
        assertFalse(table.replace("a", bytes("2"), bytes("3")));
        assertTrue(table.replace("a", bytes("1"), bytes("3")));
        assertArrayEquals(bytes("3"), table.get("a"));
        assertFalse(table.replace("b", bytes("1"), bytes("2")));
        assertFalse(table.remove("a", bytes("1")));
        assertTrue(table.remove("a", bytes("3")));
        assertNull(table.get("a"));
        assertFalse(table.putIf("a", bytes("4"), ClientCondition.exists()));
        assertTrue(table.putIf("a", bytes("4"), ClientCondition.absent()));
        assertTrue(table.putIf("a", bytes("5"), ClientCondition.exists()));
        assertFalse(table.removeIf("a", ClientCondition.absent()));
        assertTrue(table.removeIf("a", ClientCondition.exists()));
        assertFalse(table.contains("a"));
    }

    /** Sums are decimal text. A value that is no number, or a sum beyond 64 bits, is refused and changes nothing. */
    @OnBothEngines
    default void a_number_is_added_to(String engine) {
        ClientTable table = newTable(engine);
        assertEquals(5, table.add("n", 5));
        assertEquals(-2, table.withDurability(ClientDurability.SYNC).add(bytes("n"), -7));
        assertArrayEquals(bytes("-2"), table.get("n"));
        table.put("n", bytes("9223372036854775807"));
        fails(InvalidRequestException.class, ErrorCode.INVALID_REQUEST, () -> table.add("n", 1));
        assertArrayEquals(bytes("9223372036854775807"), table.get("n"));
        assertEquals(0, table.add("n", -Long.MAX_VALUE));
        table.put("n", bytes("seven"));
        fails(InvalidRequestException.class, ErrorCode.INVALID_REQUEST, () -> table.add("n", 1));
        assertArrayEquals(bytes("seven"), table.get("n"));
        byte[] tooLong = pattern(65_536);
        fails(TooLargeException.class, ErrorCode.TOO_LARGE, () -> table.add(tooLong, 1));
    }

    /** Bytes are appended and overwritten; the lengths are told. */
    @OnBothEngines
    default void a_value_is_changed_in_part(String engine) {
        ClientTable table = newTable(engine);
        assertEquals(0, table.append("a", new byte[0]));
        assertArrayEquals(new byte[0], table.get("a"));
        assertEquals(3, table.append("a", bytes("abc")));
        assertEquals(5, table.append("a", bytes("de")));
        assertEquals(5, table.patch("a", 1, bytes("BC")));
        assertEquals(7, table.patch("a", 5, bytes("FG")));
        assertArrayEquals(bytes("aBCdeFG"), table.get("a"));
        fails(InvalidRequestException.class, ErrorCode.INVALID_REQUEST, () -> table.patch("a", 8, bytes("x")));
        fails(InvalidRequestException.class, ErrorCode.INVALID_REQUEST, () -> table.patch("a", -1, bytes("x")));
        fails(InvalidRequestException.class, ErrorCode.INVALID_REQUEST, () -> table.append("a", new byte[1 << 20]));
        byte[] value = new byte[(int) client().serverInfo().maxValueBytes() + 1];
        fails(TooLargeException.class, ErrorCode.TOO_LARGE, () -> table.append("a", value));
        assertArrayEquals(bytes("aBCdeFG"), table.get("a"));
    }

    /** The value before a change is answered. */
    @OnBothEngines
    default void the_value_before_is_returned(String engine) {
        ClientTable table = newTable(engine);
        assertNull(table.getAndPut("a", bytes("1")));
        byte[] large = pattern(1 << 20);
        assertArrayEquals(bytes("1"), table.getAndPut("a", large));
        assertArrayEquals(large, table.getAndPut("a", new byte[0]));
        assertArrayEquals(new byte[0], table.getAndRemove("a"));
        assertNull(table.getAndRemove("a"));
        assertFalse(table.contains("a"));
    }

    /** Conditions on the tag of the value. */
    @OnBothEngines
    default void a_tag_is_compared_before_a_value_changes(String engine) {
        ClientTable table = newTable(engine);
        assertNull(table.getTagged("a"));
        table.put("a", bytes("1"));
        TaggedValue first = table.getTagged("a");
        assertNotNull(first);
        assertArrayEquals(bytes("1"), first.value());
        assertTrue(table.putIf("a", bytes("2"), ClientCondition.tagIs(first.tag())));
        assertFalse(table.putIf("a", bytes("3"), ClientCondition.tagIs(first.tag())));
        TaggedValue second = table.getTagged("a");
        assertNotNull(second);
        assertArrayEquals(bytes("2"), second.value());
        assertNotEquals(first.tag(), second.tag());
        assertFalse(table.removeIf("a", ClientCondition.tagIs(first.tag())));
        assertTrue(table.removeIf("a", ClientCondition.tagIs(second.tag())));
    }
}

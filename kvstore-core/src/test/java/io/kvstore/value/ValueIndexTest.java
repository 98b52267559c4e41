package io.kvstore.value;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.kvstore.data.KeyHash;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.StoredValue;
import io.kvstore.value.segment.ValuePointer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ValueIndexTest extends ValueLogFixture {

    private final HashIndex places = new HashIndex(memory, 16 << 10, new KeyHash(7));
    private final ValueIndex index = new ValueIndex(places, values);

    private void make() {
        places.askFor();
        places.prepare(100, true);
        places.grow();
    }

    @AfterEach
    void close() {
        places.close();
    }

    @Test
    void a_value_counts_up_to_the_lsn_that_is_asked_for() {
        make();
        places.put(key(1), append(1));
        assertNull(index.find(key(1), 1), "it was put by operation 2");
        StoredValue found = requireNonNull(index.find(key(1), 2));
        assertArrayEquals(value(1), found.value());
        assertEquals(2, found.lsn());
    }

    /** As if the two had the same place and bits. */
    @Test
    void the_record_of_another_key_and_one_that_is_gone_are_no_answer() {
        make();
        places.put(key(1), append(2));
        assertNull(index.find(key(1), 100));
        places.put(key(1), new ValuePointer(77, 32, VALUE_BYTES));
        assertNull(index.find(key(1), 100));
    }

    @Test
    void a_key_is_absent_as_of_the_newest_operation_once_all_keys_were_told() {
        make();
        places.begin(9);
        assertNull(index.find(key(1), 5));
        places.filled();
        assertEquals(new StoredValue(null, 9), index.find(key(1), 5));
    }
}

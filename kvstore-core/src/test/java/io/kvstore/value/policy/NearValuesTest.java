package io.kvstore.value.policy;

import static io.kvstore.value.policy.NearValues.Place.FAR;
import static io.kvstore.value.policy.NearValues.Place.FIRST;
import static io.kvstore.value.policy.NearValues.Place.NEAR;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegmentFormat;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NearValuesTest {

    private static final int NEAR_BYTES = 16 << 10;
    private static final int KEY_BYTES = 12;
    private static final int ENTRIES = 100;

    private static int far(List<ValuePointer> pointers, int keyLength) {
        NearValues near = new NearValues();
        pointers.forEach(pointer -> near.follow(pointer, keyLength));
        return near.far();
    }

    /** Records one behind the other, with values of these lengths in turn. */
    private static List<ValuePointer> dense(int keyLength, int... lengths) {
        List<ValuePointer> result = new ArrayList<>();
        long offset = ValueSegmentFormat.HEADER_BYTES;
        for (int i = 0; i < ENTRIES; i++) {
            ValuePointer pointer = new ValuePointer(1, offset, lengths[i % lengths.length]);
            result.add(pointer);
            offset += pointer.recordBytes(keyLength);
        }
        return result;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 500, NEAR_BYTES - 1, NEAR_BYTES, NEAR_BYTES + 1, 1 << 20})
    void values_one_behind_the_other_are_near_however_long(int length) {
        List<ValuePointer> pointers = dense(KEY_BYTES, length);
        assertEquals(0, far(pointers, KEY_BYTES));
        Collections.reverse(pointers);
        assertEquals(0, far(pointers, KEY_BYTES), "backwards");
    }

    @Test
    void short_values_between_long_ones_are_near() {
        List<ValuePointer> pointers = dense(KEY_BYTES, 20 << 10, 1 << 10);
        assertEquals(0, far(pointers, KEY_BYTES));
        Collections.reverse(pointers);
        assertEquals(0, far(pointers, KEY_BYTES), "backwards");
    }

    @Test
    void a_long_key_does_not_make_values_far() {
        assertEquals(0, far(dense(65_535, 100), 65_535));
    }

    @Test
    void a_gap_may_have_so_many_bytes_and_no_more() {
        ValuePointer first = new ValuePointer(1, 1_000, 500);
        long end = 1_000 + first.recordBytes(KEY_BYTES);
        ValuePointer last = new ValuePointer(1, end + NEAR_BYTES, 500);
        ValuePointer tooFar = new ValuePointer(1, end + NEAR_BYTES + 1, 500);
        assertEquals(0, far(List.of(first, last), KEY_BYTES));
        assertEquals(0, far(List.of(last, first), KEY_BYTES));
        assertEquals(1, far(List.of(first, tooFar), KEY_BYTES));
        assertEquals(1, far(List.of(tooFar, first), KEY_BYTES));
    }

    @Test
    void eight_segments_are_followed_at_a_time() {
        NearValues near = new NearValues();
        for (int segment = 1; segment <= 8; segment++) {
            assertEquals(FIRST, near.follow(new ValuePointer(segment, 1_000, 500), KEY_BYTES));
        }
        for (int segment = 8; segment >= 1; segment--) {
            assertEquals(NEAR, near.follow(new ValuePointer(segment, 2_000, 500), KEY_BYTES));
        }
        assertEquals(FAR, near.follow(new ValuePointer(9, 1_000, 500), KEY_BYTES));
        assertEquals(NEAR, near.follow(new ValuePointer(9, 2_000, 500), KEY_BYTES));
        assertEquals(FAR, near.follow(new ValuePointer(1, 3_000, 500), KEY_BYTES), "the oldest made room");
        assertEquals(NEAR, near.follow(new ValuePointer(3, 3_000, 500), KEY_BYTES));
        assertEquals(2, near.far());
    }

    @Test
    void a_long_value_is_never_far() {
        List<ValuePointer> pointers = dense(KEY_BYTES, NEAR_BYTES + 1);
        Collections.swap(pointers, 3, 90);
        assertEquals(0, far(pointers, KEY_BYTES));
    }
}

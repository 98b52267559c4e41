package io.kvstore.bench.files;

import io.kvstore.bench.store.Shape;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Formats that have the same entries and are compared with each other. */
enum FileGroup {
    /** As in Sparkey's own benchmark, without compression. */
    TEXTS("keys key_N, values value_N", true),
    /** As {@link #TEXTS}, in compressed blocks of 4 KiB. */
    PACKED("keys key_N, values value_N, in compressed blocks of 4 KiB", true),
    /** Keys and values of 8 bytes each. */
    LONGS("keys and values of 8 bytes", false),
    /** As in the duel of stores. */
    WIDE("keys of 12 bytes in no order, values of 500 bytes", false);

    private static final long SPREAD = 0x9E3779B97F4A7C15L;
    private static final long ABSENT = 1L << 40;

    private final String text;

    private final boolean areTexts;

    FileGroup(String text, boolean areTexts) {
        this.text = text;
        this.areTexts = areTexts;
    }

    /** What the entries are. */
    String text() {
        return text;
    }

    byte[] key(int number) {
        return this == WIDE ? wideKey(number) : areTexts ? bytes("key_" + number) : bytes(number * SPREAD);
    }

    /** A key that is not there. */
    byte[] absent(int number) {
        return this == WIDE
                ? wideKey(number + ABSENT)
                : areTexts ? bytes("not_" + number) : bytes((number + ABSENT) * SPREAD);
    }

    byte[] value(int number) {
        return this == WIDE ? wideValue(number) : areTexts ? bytes("value_" + number) : bytes((long) number);
    }

    private static byte[] wideKey(long number) {
        byte[] key = new byte[Shape.WIDE.keyBytes()];
        Shape.WIDE.fillKey(number, key);
        return key;
    }

    private byte[] wideValue(int number) {
        byte[] value = new byte[Shape.WIDE.valueBytes()];
        Shape.WIDE.fillValue(number, value);
        value[value.length - 1] = last(number);
        return value;
    }

    /** The last byte of a value. */
    byte last(int number) {
        return (byte) (areTexts ? '0' + number % 10 : number);
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

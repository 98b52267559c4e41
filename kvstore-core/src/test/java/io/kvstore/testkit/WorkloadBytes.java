package io.kvstore.testkit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** Keys from a small set, so that they meet again, and values that are never the same twice. */
final class WorkloadBytes {

    private static final int STAMP_BYTES = Long.BYTES;

    private final SplittableRandom random;
    private final int keys;
    private long stamp;

    WorkloadBytes(SplittableRandom random, int keys) {
        this.random = random;
        this.keys = keys;
    }

    byte[] key() {
        int number = random.nextInt(keys);
        return switch (number) {
            case 0 -> new byte[0];
            case 1 -> new byte[] {0};
            case 2 -> new byte[] {(byte) 0xFF};
            case 3 -> new byte[] {(byte) 0x80, 0};
            case 4 -> "long".repeat(100).getBytes(StandardCharsets.US_ASCII);
            case 5 -> new byte[2_000];
            default -> ("key-" + number).getBytes(StandardCharsets.US_ASCII);
        };
    }

    byte[] value() {
        int length = switch (random.nextInt(60)) {
            case 0 -> 0;
            case 1 -> 70_000 + random.nextInt(10_000);
            case 2, 3 -> 10_000 + random.nextInt(15_000);
            case 4, 5, 6, 7 -> 250 + random.nextInt(12);
            case 8, 9, 10 -> 1_000 + random.nextInt(4_000);
            default -> STAMP_BYTES + random.nextInt(150);
        };
        byte[] value = new byte[length];
        random.nextBytes(value);
        if (length >= STAMP_BYTES) {
            ByteBuffer.wrap(value).putLong(stamp++);
        }
        return value;
    }
}

package io.kvstore.testkit;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Contents of fields that no program writes on purpose, such as the least and the greatest number of a width. */
public final class AbsurdField {

    private AbsurdField() {}

    /** Puts an extreme number in the place of a field, or any number, or flips a bit of the field. */
    public static void put(SplittableRandom random, ByteBuffer file, int at, int width) {
        byte[] field = new byte[width];
        switch (random.nextInt(6)) {
            case 0 -> Arrays.fill(field, (byte) 0);
            case 1 -> Arrays.fill(field, (byte) -1);
            case 2 -> field[width - 1] = Byte.MIN_VALUE;
            case 3 -> {
                Arrays.fill(field, (byte) -1);
                field[width - 1] = Byte.MAX_VALUE;
            }
            case 4 -> random.nextBytes(field);
            default -> {
                file.get(at, field);
                field[random.nextInt(width)] ^= (byte) (1 << random.nextInt(8));
            }
        }
        file.put(at, field);
    }
}

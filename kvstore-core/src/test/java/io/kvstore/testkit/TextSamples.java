package io.kvstore.testkit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Short strings of bytes, for those who write text. */
public final class TextSamples {

    private static final int LETTERS = 60;
    private static final int BYTES = 40;

    private TextSamples() {}

    /** All bytes alone and in text, text of many letters, and bytes that are mostly no text. More may be added to the list. */
    public static List<byte[]> of(Random random) {
        List<byte[]> samples = new ArrayList<>();
        samples.add(new byte[0]);
        for (int b = 0; b < 1 << 8; b++) {
            samples.add(new byte[] {(byte) b});
            samples.add(new byte[] {'a', (byte) b, 'z'});
        }
        String letters = "ab\u00e4\u20ac\ud83d\ude00\"\\/\n\u0001\u007f\u2028";
        for (int i = 0; i < 500; i++) {
            int[] text = random.ints(random.nextInt(LETTERS), 0, letters.codePointCount(0, letters.length()))
                    .map(at -> letters.codePointAt(letters.offsetByCodePoints(0, at)))
                    .toArray();
            samples.add(new String(text, 0, text.length).getBytes(StandardCharsets.UTF_8));
            byte[] bytes = new byte[random.nextInt(BYTES)];
            random.nextBytes(bytes);
            samples.add(bytes);
        }
        return samples;
    }
}

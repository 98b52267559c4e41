package io.kvstore.data;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;

/** The one order of keys: as unsigned bytes, a prefix before keys that begin with it. For UTF-8 this is code-point order. */
public final class KeyOrder {

    public static final Comparator<byte[]> COMPARATOR = Arrays::compareUnsigned;

    /** The longest key, in bytes. */
    public static final int MAX_KEY_BYTES = 65_535;

    private static final int DISPLAY_BYTES = 40;
    private static final HexFormat HEX = HexFormat.of();

    private KeyOrder() {}

    public static int compare(byte[] left, byte[] right) {
        return Arrays.compareUnsigned(left, right);
    }

    /** A printable form of a key for messages: printable ASCII as it is, other bytes as {@code \xNN}, cut after 40 bytes. */
    public static String display(byte[] key) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < Math.min(key.length, DISPLAY_BYTES); i++) {
            int b = key[i] & 0xFF;
            if (b >= 0x20 && b < 0x7F && b != '"' && b != '\\') {
                text.append((char) b);
            } else {
                text.append("\\x").append(HEX.toHexDigits((byte) b));
            }
        }
        return text.append(key.length > DISPLAY_BYTES ? "\"..." : "\"").toString();
    }
}

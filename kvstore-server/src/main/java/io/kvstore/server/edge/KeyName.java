package io.kvstore.server.edge;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Names a key in a message, whatever its bytes are and however long it is. */
public final class KeyName {

    private static final int MOST_BYTES = 64;

    private KeyName() {}

    /** The key in quotes if it is short and printable ASCII, else the beginning of it in hexadecimal digits. */
    public static String of(byte[] key) {
        if (key.length <= MOST_BYTES && isPlain(key)) {
            return "\"" + new String(key, StandardCharsets.US_ASCII) + "\"";
        }
        String digits = HexFormat.of().formatHex(Arrays.copyOf(key, Math.min(key.length, MOST_BYTES)));
        return "0x" + digits + (key.length > MOST_BYTES ? "... of " + key.length + " bytes" : "");
    }

    private static boolean isPlain(byte[] key) {
        for (byte b : key) {
            if (b < ' ' || b == 0x7F || b == '"') {
                return false;
            }
        }
        return true;
    }
}

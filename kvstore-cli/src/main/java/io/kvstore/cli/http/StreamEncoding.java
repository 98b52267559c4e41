package io.kvstore.cli.http;

import java.util.HexFormat;
import java.util.Locale;

/** How a stream of entries has bytes, and how its bounds have them in the request. */
public enum StreamEncoding {
    /** Text where the bytes are readable UTF-8, and base64url where they are not. In the request they are percent-encoded. */
    TEXT,
    BASE64URL,
    HEX;

    private static final HexFormat PERCENT = HexFormat.of().withPrefix("%").withUpperCase();

    String written() {
        return name().toLowerCase(Locale.ROOT);
    }

    String write(byte[] bytes) {
        return switch (this) {
            case TEXT -> percent(bytes);
            case BASE64URL -> Paths.base64(bytes);
            case HEX -> HexFormat.of().formatHex(bytes);
        };
    }

    /** Leaves the letters, digits and signs as they are that stand for themselves in any part of a URL. */
    private static String percent(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length);
        for (byte b : bytes) {
            if ((b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || "-._~".indexOf(b) >= 0) {
                text.append((char) b);
            } else {
                text.append(PERCENT.formatHex(new byte[] {b}));
            }
        }
        return text.toString();
    }
}

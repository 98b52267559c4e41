package io.kvstore.views;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvstore.error.InvalidRequestException;
import java.util.Arrays;
import java.util.Comparator;

/** Strings as bytes, and back, where nothing is replaced by question marks. */
final class Texts {

    /** What a decoder puts in the place of bytes that are no text. */
    private static final char REPLACEMENT = '\uFFFD';

    /**
     * The order of code points, which is the order of UTF-8. It differs from {@link String#compareTo} where a code point above
     * U+FFFF, which a String has as two surrogates, meets one of U+E000 to U+FFFF.
     */
    static final Comparator<String> BY_CODE_POINTS = Texts::compareCodePoints;

    private Texts() {}

    /** @throws InvalidRequestException if a surrogate stands alone */
    static byte[] utf8(String text) {
        int lone = loneSurrogate(text);
        if (lone >= 0) {
            throw new InvalidRequestException("the String is not valid UTF-16 (the surrogate at index " + lone
                    + " stands alone); Codecs.STRING_UTF16 takes every String");
        }
        return text.getBytes(UTF_8);
    }

    /** @throws IllegalArgumentException if the bytes are not strict UTF-8 */
    static String ofUtf8(byte[] bytes) {
        String text = new String(bytes, UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0 && !Arrays.equals(bytes, text.getBytes(UTF_8))) {
            throw new IllegalArgumentException("the " + bytes.length + " bytes are not UTF-8");
        }
        return text;
    }

    /** Each char as two bytes, surrogates that stand alone among them. */
    static byte[] utf16(String text) {
        byte[] bytes = new byte[2 * text.length()];
        for (int i = 0; i < text.length(); i++) {
            bytes[2 * i] = (byte) (text.charAt(i) >>> 8);
            bytes[2 * i + 1] = (byte) text.charAt(i);
        }
        return bytes;
    }

    /** @throws IllegalArgumentException if a char is not whole */
    static String ofUtf16(byte[] bytes) {
        if (bytes.length % 2 != 0) {
            throw new IllegalArgumentException(
                    "UTF-16 has two bytes for each char, and not " + bytes.length + " bytes");
        }
        char[] chars = new char[bytes.length / 2];
        for (int i = 0; i < chars.length; i++) {
            chars[i] = (char) ((bytes[2 * i] << 8) | (bytes[2 * i + 1] & 0xFF));
        }
        return new String(chars);
    }

    /** The index of the first surrogate without its partner, or -1. */
    private static int loneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                boolean isPair = i + 1 < text.length() && Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1));
                if (!isPair) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }

    private static int compareCodePoints(String left, String right) {
        int common = Math.min(left.length(), right.length());
        for (int i = 0; i < common; i++) {
            char ofLeft = left.charAt(i);
            char ofRight = right.charAt(i);
            if (ofLeft != ofRight) {
                int planes = Boolean.compare(Character.isSurrogate(ofLeft), Character.isSurrogate(ofRight));
                return planes != 0 ? planes : Character.compare(ofLeft, ofRight);
            }
        }
        return Integer.compare(left.length(), right.length());
    }
}

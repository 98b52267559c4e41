package io.kvstore.engine;

import java.util.Map;

/**
 * The facts that a table file states about itself.
 *
 * @param id 32 hexadecimal digits; no two files have the same, even if they have the same entries
 * @param entries number of keys, each of which has one value
 * @param fileBytes length of the file
 * @param keyBytes bytes of all keys
 * @param valueBytes bytes of all values
 * @param firstKey the least key; empty if there are no entries
 * @param lastKey the greatest key; empty if there are no entries
 * @param longestKeyBytes length of the longest key
 * @param longestValueBytes length of the longest value
 * @param layout how the entries lie in the file, as in {@link TableFileSettings.Layout}
 * @param codec name of the codec of its blocks, {@code NONE} without one
 * @param writer the release that wrote the file
 * @param texts texts that the builder of the file added, by name
 */
public record TableFileInfo(
        String id,
        long entries,
        long fileBytes,
        long keyBytes,
        long valueBytes,
        byte[] firstKey,
        byte[] lastKey,
        int longestKeyBytes,
        int longestValueBytes,
        String layout,
        String codec,
        String writer,
        Map<String, String> texts) {}

package io.kvstore.engine;

import io.kvstore.error.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * How a table file is built.
 *
 * @param order which order of keys the builder gives
 * @param duplicates what becomes of a key that is given again; with {@link Order#ASCENDING} it is refused in any case
 * @param sortMemoryBytes memory of the heap for keys that are to be sorted
 * @param layout how the entries lie in the file
 * @param codec name of the codec of blocks, {@code NONE} for records that are read alone
 * @param blockBytes bytes of entries in a block, before it is compressed
 * @param texts kept in the file, by name
 */
public record TableFileSettings(
        Order order,
        Duplicates duplicates,
        long sortMemoryBytes,
        Layout layout,
        String codec,
        int blockBytes,
        Map<String, String> texts) {

    /** The name of no codec. */
    public static final String NO_CODEC = "NONE";

    /** The most bytes of all texts with their names, in UTF-8. */
    public static final int MOST_TEXT_BYTES = 64 << 10;

    private static final long LEAST_SORT_BYTES = 1 << 20;
    private static final long MOST_SORT_BYTES = 1L << 40;
    private static final int LEAST_BLOCK_BYTES = 512;
    private static final int MOST_BLOCK_BYTES = 1 << 20;

    /** Any order, 256 MiB to sort in, the last value of a key, {@link Layout#LINES}, no codec. */
    public static final TableFileSettings USUAL = new TableFileSettings(
            Order.ANY, Duplicates.LAST_WINS, 256 << 20, Layout.LINES, NO_CODEC, 4 << 10, Map.of());

    /** The order in which entries are given. */
    public enum Order {
        /** Each key is greater than the one before it; any other is refused. */
        ASCENDING,
        /** Keys that do not ascend are sorted, with temporary files beside the file. Keys that do are not. */
        ANY
    }

    /** How the entries lie in a file. All layouts answer alike. */
    public enum Layout {
        /** Entries in the order of keys, and lines of 64 bytes that lead to them: about 9 bytes a key. */
        LINES,
        /** Entries in the order of keys, and a perfect hash that leads to them: 4.6 to 7.6 bytes a key, and a longer build. */
        PERFECT,
        /**
         * Entries in the slots of a perfect hash, so that a look-up reads one line of memory, and their order beside them in
         * 4 bytes a key. Only for keys of one length with values of one length, both short, and without a codec.
         */
        POINT
    }

    /** What becomes of a key that is given again. */
    public enum Duplicates {
        /** The value that was given last stays. */
        LAST_WINS,
        /** The file is refused. */
        REFUSED
    }

    /** @throws InvalidRequestException if a figure is out of its range */
    public TableFileSettings {
        require("sortMemoryBytes", sortMemoryBytes, LEAST_SORT_BYTES, MOST_SORT_BYTES);
        require("blockBytes", blockBytes, LEAST_BLOCK_BYTES, MOST_BLOCK_BYTES);
        if (layout == Layout.POINT && !codec.equals(NO_CODEC)) {
            throw new InvalidRequestException("the codec is " + codec
                    + ", and entries of the layout POINT stand alone; take no codec, or another layout");
        }
        texts = Map.copyOf(texts);
        long textBytes = texts.entrySet().stream()
                .mapToLong(text -> bytes(text.getKey()) + bytes(text.getValue()))
                .sum();
        if (textBytes > MOST_TEXT_BYTES) {
            throw new InvalidRequestException(
                    "the texts have " + textBytes + " bytes; a table file has at most " + MOST_TEXT_BYTES);
        }
    }

    private static long bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static void require(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new InvalidRequestException(name + " is " + value + "; it can be from " + least + " to " + most);
        }
    }

    public TableFileSettings withOrder(Order newOrder) {
        return new TableFileSettings(newOrder, duplicates, sortMemoryBytes, layout, codec, blockBytes, texts);
    }

    public TableFileSettings withDuplicates(Duplicates newDuplicates) {
        return new TableFileSettings(order, newDuplicates, sortMemoryBytes, layout, codec, blockBytes, texts);
    }

    public TableFileSettings withSortMemoryBytes(long bytes) {
        return new TableFileSettings(order, duplicates, bytes, layout, codec, blockBytes, texts);
    }

    public TableFileSettings withLayout(Layout newLayout) {
        return new TableFileSettings(order, duplicates, sortMemoryBytes, newLayout, codec, blockBytes, texts);
    }

    public TableFileSettings withCodec(String newCodec, int newBlockBytes) {
        return new TableFileSettings(order, duplicates, sortMemoryBytes, layout, newCodec, newBlockBytes, texts);
    }

    public TableFileSettings withTexts(Map<String, String> newTexts) {
        return new TableFileSettings(order, duplicates, sortMemoryBytes, layout, codec, blockBytes, newTexts);
    }
}

package io.kvstore.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a table, as it is now or as a snapshot sees it. Keys have 0 to 65,535 bytes and are ordered as unsigned bytes. A String
 * stands for its UTF-8 bytes. Safe for several threads.
 *
 * <p>A read throws {@link io.kvstore.client.error.NotFoundException} if there is no such table, {@link
 * io.kvstore.client.error.TooLargeException} if the answer does not fit into a frame, and {@link
 * io.kvstore.client.error.InvalidRequestException} if a key is null or a surrogate of a String stands alone.
 */
public interface TableReader {

    /** The database's name. */
    String database();

    /** The table's name. */
    String name();

    /** The value of a key, or null if the key has none. */
    byte @Nullable [] get(byte[] key);

    /** The value of a key, or null if the key has none. */
    default byte @Nullable [] get(String key) {
        return get(Utf8.bytes(key));
    }

    /** The value of a key with its tag, or null if the key has none. */
    @Nullable
    TaggedValue getTagged(byte[] key);

    /** The value of a key with its tag, or null if the key has none. */
    default @Nullable TaggedValue getTagged(String key) {
        return getTagged(Utf8.bytes(key));
    }

    /** The values of several keys at one moment, in the order of the keys; null for a key without a value. */
    List<byte @Nullable []> getAll(List<byte[]> keys);

    /** The values of several keys at one moment, in the order of the keys; null for a key without a value. */
    default List<byte @Nullable []> getAll(String... keys) {
        List<byte[]> bytes = new ArrayList<>(keys.length);
        for (String key : keys) {
            bytes.add(Utf8.bytes(key));
        }
        return getAll(bytes);
    }

    /** Whether a key has a value. */
    boolean contains(byte[] key);

    /** Whether a key has a value. */
    default boolean contains(String key) {
        return contains(Utf8.bytes(key));
    }

    /** All entries; see {@link #scan(ScanOptions)}. */
    default ClientScan scan() {
        return scan(ScanOptions.all());
    }

    /** The entries of a range; see {@link #scan(ScanOptions)}. */
    default ClientScan scan(ClientRange range) {
        return scan(ScanOptions.of(range));
    }

    /**
     * The entries of a range, fetched page by page. A page shows the table as it is when the page is fetched, or as the
     * snapshot sees it. Nothing is fetched before the caller asks for the first entry.
     */
    default ClientScan scan(ScanOptions options) {
        return new ClientScan(this::page, options);
    }

    /**
     * One page of a scan, for a caller that keeps the continuation itself.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the continuation is not one of this scan
     * @throws io.kvstore.client.error.TableDroppedException if the table was dropped or truncated since the page before
     */
    EntryPage page(ScanOptions options);

    /** The number of keys of the table. */
    default long count() {
        return count(ClientRange.all());
    }

    /** The number of keys of a range. */
    long count(ClientRange range);
}

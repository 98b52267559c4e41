package io.kvstore.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a table, as it is now or as a snapshot sees it. Keys have 0 to 65,535 bytes and are ordered as unsigned bytes; a
 * String stands for its UTF-8 bytes. Safe for several threads.
 */
public interface TableReader {

    /** The database's name. */
    String database();

    /** The table's name. */
    String name();

    /** The value of a key, or null. */
    byte @Nullable [] get(byte[] key);

    /** The value of a key, or null. */
    default byte @Nullable [] get(String key) {
        return get(Utf8.bytes(key));
    }

    /** The value of a key with its tag, or null. */
    @Nullable
    TaggedValue getTagged(byte[] key);

    /** The value of a key with its tag, or null. */
    default @Nullable TaggedValue getTagged(String key) {
        return getTagged(Utf8.bytes(key));
    }

    /** The values of several keys at one moment, in the order given, null where there is none. */
    List<byte @Nullable []> getAll(List<byte[]> keys);

    /** The values of several keys at one moment, in the order given, null where there is none. */
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
     * The entries of a range, fetched page by page. Each page shows the table as it is then, or as the snapshot sees it.
     * Nothing is fetched before the first entry is asked for.
     */
    default ClientScan scan(ScanOptions options) {
        return new ClientScan(this::page, options);
    }

    /** One page of a scan, for those who keep its continuation somewhere else. */
    EntryPage page(ScanOptions options);

    /** How many keys there are. */
    default long count() {
        return count(ClientRange.all());
    }

    /** How many keys a range has. */
    long count(ClientRange range);
}

package io.kvstore.client;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The handle of a table by its name. Writes have the durability of the handle. That is the durability of the table, unless
 * {@link #withDurability} has given another one. Safe for several threads.
 *
 * <p>Nobody may change an array that is given to a call until the call returns.
 *
 * <p>A write throws {@link io.kvstore.client.error.OutcomeUnknownException} if it may or may not have been applied, and {@link
 * io.kvstore.client.error.TooLargeException} if its key or value is over a limit. A write with null as its key or value throws
 * {@link io.kvstore.client.error.InvalidRequestException}.
 */
public interface ClientTable extends TableReader {

    /** A handle of the same table whose writes have this durability. */
    ClientTable withDurability(ClientDurability durability);

    /** Sets the value of a key. */
    void put(byte[] key, byte[] value);

    /** Sets the value of a key. */
    default void put(String key, byte[] value) {
        put(Utf8.bytes(key), value);
    }

    /** Removes a key. The key need not have a value. */
    void remove(byte[] key);

    /** Removes a key. The key need not have a value. */
    default void remove(String key) {
        remove(Utf8.bytes(key));
    }

    /** Sets the value of a key if the condition holds for the key. Returns whether the condition held. */
    boolean putIf(byte[] key, byte[] value, ClientCondition condition);

    /** Sets the value of a key if the condition holds for the key. Returns whether the condition held. */
    default boolean putIf(String key, byte[] value, ClientCondition condition) {
        return putIf(Utf8.bytes(key), value, condition);
    }

    /** Removes a key if the condition holds for the key. Returns whether the condition held. */
    boolean removeIf(byte[] key, ClientCondition condition);

    /** Removes a key if the condition holds for the key. Returns whether the condition held. */
    default boolean removeIf(String key, ClientCondition condition) {
        return removeIf(Utf8.bytes(key), condition);
    }

    /** Sets the value of a key that has no value. Otherwise changes nothing and returns false. */
    default boolean putIfAbsent(byte[] key, byte[] value) {
        return putIf(key, value, ClientCondition.absent());
    }

    /** Sets the value of a key that has no value. Otherwise changes nothing and returns false. */
    default boolean putIfAbsent(String key, byte[] value) {
        return putIfAbsent(Utf8.bytes(key), value);
    }

    /** Sets the value of a key whose present value is {@code expected}. Otherwise changes nothing and returns false. */
    default boolean replace(byte[] key, byte[] expected, byte[] value) {
        return putIf(key, value, ClientCondition.valueIs(expected));
    }

    /** Sets the value of a key whose present value is {@code expected}. Otherwise changes nothing and returns false. */
    default boolean replace(String key, byte[] expected, byte[] value) {
        return replace(Utf8.bytes(key), expected, value);
    }

    /** Removes a key whose value is {@code expected}. Otherwise changes nothing and returns false. */
    default boolean remove(byte[] key, byte[] expected) {
        return removeIf(key, ClientCondition.valueIs(expected));
    }

    /** Removes a key whose value is {@code expected}. Otherwise changes nothing and returns false. */
    default boolean remove(String key, byte[] expected) {
        return remove(Utf8.bytes(key), expected);
    }

    /**
     * Adds to the number that a key has, and returns the sum. The value is decimal text in ASCII, such as {@code -7}, from
     * {@link Long#MIN_VALUE} to {@link Long#MAX_VALUE}. An absent key counts as 0. No addition is lost, whatever others write.
     *
     * <p>After {@link io.kvstore.client.error.OutcomeUnknownException} a call of this kind must not simply be made again: it
     * could add twice. The client never does that.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the value is no such number, or the sum does not fit into 64
     *     bits; nothing has changed
     */
    long add(byte[] key, long delta);

    /** Adds to the number that a key has, as {@link #add(byte[], long)}. */
    default long add(String key, long delta) {
        return add(Utf8.bytes(key), delta);
    }

    /**
     * Appends bytes to the value of a key, and returns the new length of the value in bytes. An absent key counts as an empty
     * value. After {@link io.kvstore.client.error.OutcomeUnknownException} it must not simply be called again.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the value would be longer than 1 MiB or than the table's
     *     limit; nothing has changed
     */
    int append(byte[] key, byte[] suffix);

    /** Appends bytes to the value of a key, as {@link #append(byte[], byte[])}. */
    default int append(String key, byte[] suffix) {
        return append(Utf8.bytes(key), suffix);
    }

    /**
     * Overwrites the bytes of a value from an offset on, and returns the new length of the value in bytes. The value grows as
     * needed. An absent key counts as an empty value.
     *
     * @param offset where the first of the bytes goes; 0 to the length of the present value
     * @throws io.kvstore.client.error.InvalidRequestException if the offset is negative or behind the end of the value, or the
     *     value would be longer than 1 MiB or than the table's limit; nothing has changed
     */
    int patch(byte[] key, int offset, byte[] part);

    /** Overwrites the bytes of a value from an offset on, as {@link #patch(byte[], int, byte[])}. */
    default int patch(String key, int offset, byte[] part) {
        return patch(Utf8.bytes(key), offset, part);
    }

    /**
     * Sets the value of a key, and returns the value before, or null if there was none. No other write of the key comes in
     * between.
     *
     * @throws io.kvstore.client.error.TooLargeException also if the value before does not fit into an answer of the server; its
     *     outcome tells whether the value was set
     */
    byte @Nullable [] getAndPut(byte[] key, byte[] value);

    /** Sets the value of a key, and returns the value before, as {@link #getAndPut(byte[], byte[])}. */
    default byte @Nullable [] getAndPut(String key, byte[] value) {
        return getAndPut(Utf8.bytes(key), value);
    }

    /**
     * Removes a key, and returns its value, or null if it had none.
     *
     * @throws io.kvstore.client.error.TooLargeException also if the value does not fit into an answer of the server; the
     *     outcome tells whether the key was removed
     */
    byte @Nullable [] getAndRemove(byte[] key);

    /** Removes a key, and returns its value, as {@link #getAndRemove(byte[])}. */
    default byte @Nullable [] getAndRemove(String key) {
        return getAndRemove(Utf8.bytes(key));
    }

    /** The table's id, engine and options. */
    TableDescription describe();

    /**
     * Gives options other values while the table is in use, durably, all of them or none. Describes the table.
     *
     * @param options those that change: DURABILITY, MAX_VALUE_BYTES, and some of the engine, such as MEM_CACHE_SIZE
     * @throws io.kvstore.client.error.InvalidRequestException if an option is unknown, out of its range, or stays as long as
     *     the table lives; nothing has changed
     */
    TableDescription alter(Map<String, String> options);

    /** The statistics of the table. */
    Statistics stats();

    /** Removes the table's data. The table gets a new id. */
    void truncate();

    /**
     * Starts an operation on the table and does not wait for its end.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the kind is not FLUSH, OPTIMIZE or VERIFY
     */
    OperationResult start(OperationResult.Kind kind);

    /**
     * Brings the table's memory to its files, and waits for the end.
     *
     * @throws io.kvstore.client.error.KVClientException if the operation failed
     */
    OperationResult flush();

    /**
     * Compacts the table or puts its values in order, and waits for the end. The operation may have been cancelled.
     *
     * @throws io.kvstore.client.error.KVClientException if the operation failed
     */
    OperationResult optimize();

    /**
     * Reads and checks the whole table, and waits for the end. The result has the damaged places.
     *
     * @throws io.kvstore.client.error.KVClientException if the operation failed
     */
    OperationResult verify();
}

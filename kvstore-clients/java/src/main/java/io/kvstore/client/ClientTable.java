package io.kvstore.client;

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

    /** The table's id, engine and options. */
    TableDescription describe();

    /** The statistics of the table. */
    Statistics stats();

    /** Removes the table's data. The table gets a new id. */
    void truncate();

    /**
     * Starts an operation on the table and does not wait for its end.
     *
     * @throws io.kvstore.client.error.InvalidRequestException if the kind is CHECKPOINT, which is for the store, or OTHER
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

package io.kvstore.client;

/**
 * The handle of a table by its name. Writes have the durability of the handle, which at first is that of the table.
 *
 * <p>Arrays that are given to a call must not change before it returns.
 */
public interface ClientTable extends TableReader {

    /** A handle of the same table whose writes have this durability. */
    ClientTable withDurability(ClientDurability durability);

    /** Sets a value. */
    void put(byte[] key, byte[] value);

    /** Sets a value. */
    default void put(String key, byte[] value) {
        put(Utf8.bytes(key), value);
    }

    /** Removes a key, whether it has a value or not. */
    void remove(byte[] key);

    /** Removes a key, whether it has a value or not. */
    default void remove(String key) {
        remove(Utf8.bytes(key));
    }

    /** Sets a value if the condition holds for the key; returns whether it did. */
    boolean putIf(byte[] key, byte[] value, ClientCondition condition);

    /** Sets a value if the condition holds for the key; returns whether it did. */
    default boolean putIf(String key, byte[] value, ClientCondition condition) {
        return putIf(Utf8.bytes(key), value, condition);
    }

    /** Removes a key if the condition holds for it; returns whether it did. */
    boolean removeIf(byte[] key, ClientCondition condition);

    /** Removes a key if the condition holds for it; returns whether it did. */
    default boolean removeIf(String key, ClientCondition condition) {
        return removeIf(Utf8.bytes(key), condition);
    }

    /** Sets a value if the key has none; returns whether it did. */
    default boolean putIfAbsent(byte[] key, byte[] value) {
        return putIf(key, value, ClientCondition.absent());
    }

    /** Sets a value if the key has none; returns whether it did. */
    default boolean putIfAbsent(String key, byte[] value) {
        return putIfAbsent(Utf8.bytes(key), value);
    }

    /** Sets a value if the present one is {@code expected}; returns whether it did. */
    default boolean replace(byte[] key, byte[] expected, byte[] value) {
        return putIf(key, value, ClientCondition.valueIs(expected));
    }

    /** Sets a value if the present one is {@code expected}; returns whether it did. */
    default boolean replace(String key, byte[] expected, byte[] value) {
        return replace(Utf8.bytes(key), expected, value);
    }

    /** Removes a key if its value is {@code expected}; returns whether it did. */
    default boolean remove(byte[] key, byte[] expected) {
        return removeIf(key, ClientCondition.valueIs(expected));
    }

    /** Removes a key if its value is {@code expected}; returns whether it did. */
    default boolean remove(String key, byte[] expected) {
        return remove(Utf8.bytes(key), expected);
    }

    /** The table's engine and options. */
    TableDescription describe();

    /** Figures of the table. */
    Statistics stats();

    /** Removes the table's data. */
    void truncate();

    /** Starts an operation on the table and does not wait for it; not CHECKPOINT, which is one of the store. */
    OperationResult start(OperationResult.Kind kind);

    /** Brings the table's memory to its files, and waits for it. */
    OperationResult flush();

    /** Compacts the table or puts its values in order, and waits for it. */
    OperationResult optimize();

    /** Reads all of the table, checks it, and waits for it; the result has what it found. */
    OperationResult verify();
}

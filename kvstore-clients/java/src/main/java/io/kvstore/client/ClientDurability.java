package io.kvstore.client;

/** The failures that an acknowledged write survives. */
public enum ClientDurability {
    /** The durability of the table. A batch has the strongest durability of its tables. */
    TABLE_DEFAULT,
    /** The write survives a loss of power. */
    SYNC,
    /** The write survives the end of the server's process. A loss of power takes at most the writes of the last second. */
    BUFFERED
}

package io.kvstore.client;

/** What an acknowledged write survives. */
public enum ClientDurability {
    /** As the table says. */
    TABLE_DEFAULT,
    /** A loss of power. */
    SYNC,
    /** The end of the server's process; a loss of power takes at most the last second. */
    BUFFERED
}

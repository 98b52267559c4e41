package io.kvstore.hash.index;

/** Whether the index has room for more entries. */
public enum Room {
    /** There is room, and it stays until it is used or given up. */
    RESERVED,
    /** The budget or the machine has no memory for a larger page. */
    NO_MEMORY,
    /** Too many keys have the same first bits of their hashes. With hashes of a secret seed this does not happen. */
    TOO_MANY_OF_ONE_HASH
}

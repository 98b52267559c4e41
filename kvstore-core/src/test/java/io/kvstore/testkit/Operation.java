package io.kvstore.testkit;

import java.util.EnumSet;
import java.util.Set;

/** The kinds of operation of a {@link io.kvstore.io.Storage}, its files and mappings. */
public enum Operation {
    CREATE,
    OPEN,
    READ,
    WRITE,
    TRUNCATE,
    SYNC,
    MAP,
    FORCE,
    LIST,
    CREATE_DIRECTORY,
    DELETE,
    RENAME,
    SYNC_DIRECTORY,
    LOCK;

    /** Every kind. */
    public static Set<Operation> all() {
        return EnumSet.allOf(Operation.class);
    }

    /** The kinds that a full disk can fail. */
    public static Set<Operation> needingSpace() {
        return EnumSet.of(CREATE, WRITE, SYNC, FORCE, CREATE_DIRECTORY, RENAME, SYNC_DIRECTORY);
    }
}

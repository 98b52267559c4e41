package io.kvstore.server.edge;

import java.util.Locale;

/** What a job does. */
public enum JobKind {
    FLUSH(true, false, false),
    CHECKPOINT(false, false, false),
    OPTIMIZE(true, true, false),
    VERIFY(true, false, false),
    BACKUP(false, true, true),
    VERIFY_BACKUPS(false, true, true),
    RESTORE(false, true, true);

    private final boolean ofTable;
    private final boolean cancellable;
    private final boolean ofBackups;

    JobKind(boolean ofTable, boolean cancellable, boolean ofBackups) {
        this.ofTable = ofTable;
        this.cancellable = cancellable;
        this.ofBackups = ofBackups;
    }

    /** Whether it is for one table. */
    public boolean isOfTable() {
        return ofTable;
    }

    /** Whether it tells how far it is, and ends when it is asked to. */
    public boolean isCancellable() {
        return cancellable;
    }

    /** Whether it uses the directory for backups, as one job does at a time. */
    boolean isOfBackups() {
        return ofBackups;
    }

    /** The name for clients of HTTP, such as {@code verify_backups}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package io.kvstore.io;

import java.util.Locale;

/**
 * What the store makes use of where a file system has it, and does without where it has not. The file system of the operating
 * system is taken as it is. Of every other one the store finds out by trying, when it opens a directory there.
 *
 * <p>What no store can do without is not in this list. A file system without it is refused when a store is opened, by an
 * {@link io.kvstore.error.InvalidRequestException} that names it.
 */
public enum FileSystemAbility {
    /** Files are mapped into memory. Without it a log is written by calls, whatever the durability, and reads are calls. */
    MAPPED_FILES(false, "it maps no files, so that the log is written and files are read by calls, more slowly"),

    /** Writes pass the system's cache of files. Without it all bytes go through the cache, if there is one. */
    UNCACHED_WRITES(false, "writes do not pass its cache of files"),

    /**
     * The entries of a directory are made durable. Without it the file system decides when a new, renamed or deleted file
     * survives a loss of power. So even a {@code SYNC} write is not certain to survive it.
     */
    DIRECTORY_SYNC(true, "it syncs no directories, so that a loss of power may undo what was written, with SYNC too"),

    /**
     * A lock of a file keeps other processes out, and other class loaders. Without it only stores of one class loader are kept
     * from opening a directory twice.
     */
    FILE_LOCKS(
            true, "its locks keep nobody out, so that no process or class loader but this one may open the directory"),

    /** Files are for their owner only. Without it the file system decides who may read them. */
    OWNERS_ONLY(true, "it has no POSIX permissions, so that files are not kept for their owner");

    private final boolean isPromised;
    private final String lack;

    FileSystemAbility(boolean isPromised, String lack) {
        this.isPromised = isPromised;
        this.lack = lack;
    }

    /** Whether the store keeps less of what it promises without this. Otherwise it is slower. */
    public boolean isPromised() {
        return isPromised;
    }

    /** A clause that says what a file system lacks, and what follows. */
    String lack() {
        return lack;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package io.kvstore.testkit;

/** What a failed sync does to the bytes that it was to make durable. */
public enum SyncLoss {
    /** The system shows the new bytes and believes them written; the disk never gets them. Linux with ext4 or XFS. */
    PAGES_CLEAN,
    /** The system shows what the disk has. Linux with Btrfs. */
    REVERT
}

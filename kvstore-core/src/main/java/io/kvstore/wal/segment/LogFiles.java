package io.kvstore.wal.segment;

/** How many files of the log there are, and their total length. */
public record LogFiles(int count, long bytes) {

    public LogFiles plus(LogFiles more) {
        return new LogFiles(count + more.count, bytes + more.bytes);
    }
}

package io.kvstore.wal.segment;

/**
 * Files of the log.
 *
 * @param count how many
 * @param bytes their total length
 */
public record LogFiles(int count, long bytes) {

    public LogFiles plus(LogFiles more) {
        return new LogFiles(count + more.count, bytes + more.bytes);
    }
}

package io.kvstore.wal;

/**
 * Files of the log.
 *
 * @param count how many
 * @param bytes their total length
 */
record LogFiles(int count, long bytes) {

    LogFiles plus(LogFiles more) {
        return new LogFiles(count + more.count, bytes + more.bytes);
    }
}

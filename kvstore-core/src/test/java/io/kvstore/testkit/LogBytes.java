package io.kvstore.testkit;

import java.io.IOException;

/** Watches how many bytes the files of a log have, at every few storage operations, in whatever thread they are. */
public final class LogBytes {

    private static final int EVERY = 8;

    private final SimStorage disk;
    private long operations;
    private long most;
    private boolean inside;

    /** @param disk where the log is */
    public LogBytes(SimStorage disk) {
        this.disk = disk;
    }

    /** Looks from now on. */
    public void sample() {
        disk.observe(this::look);
    }

    /** The most they ever had. */
    public long most() {
        synchronized (disk) {
            return most;
        }
    }

    private void look() {
        if (inside || operations++ % EVERY != 0) {
            return;
        }
        inside = true;
        try {
            long bytes = 0;
            for (String name : disk.list("wal")) {
                bytes += disk.bytes("wal/" + name).length;
            }
            most = Math.max(most, bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        } finally {
            inside = false;
        }
    }
}

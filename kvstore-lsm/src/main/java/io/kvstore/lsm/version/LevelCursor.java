package io.kvstore.lsm.version;

import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.RelayCursor;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A walk over a level whose files are in key order and do not overlap, one file after the other. */
final class LevelCursor implements RelayCursor {

    private final TableFile[] files;
    private final boolean reversed;
    private final int readAheadBytes;
    private int current;
    private EntryCursor cursor;

    /** @param files at least one */
    LevelCursor(TableFile[] files, boolean reversed, int readAheadBytes) {
        this.files = files;
        this.reversed = reversed;
        this.readAheadBytes = readAheadBytes;
        this.cursor = files[0].table().cursor(reversed, readAheadBytes);
    }

    @Override
    public boolean seek(byte @Nullable [] bound, boolean inclusive) throws IOException {
        int file = reversed ? files.length - 1 : 0;
        if (bound != null) {
            int ceiling = Levels.ceiling(files, bound);
            if (!reversed && ceiling == files.length) {
                return false;
            }
            file = Math.min(ceiling, files.length - 1);
        }
        open(file);
        return cursor.seek(bound, inclusive) || nextFile();
    }

    @Override
    public boolean advance() throws IOException {
        return cursor.advance() || nextFile();
    }

    private boolean nextFile() throws IOException {
        int next = reversed ? current - 1 : current + 1;
        if (next < 0 || next >= files.length) {
            return false;
        }
        open(next);
        return cursor.seek(null, true);
    }

    private void open(int file) {
        current = file;
        cursor = files[file].table().cursor(reversed, readAheadBytes);
    }

    @Override
    public EntryCursor source() {
        return cursor;
    }
}

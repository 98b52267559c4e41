package io.kvstore.cli.transfer;

import io.kvstore.Cursor;
import io.kvstore.cli.dump.DumpSource;
import io.kvstore.data.EntryVisitor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** The entries of one table in a dump, from the one at which the dump is. For use by one thread. */
final class TableEntries implements Cursor {

    private final DumpSource dump;
    private final Runnable taken;
    private final int table;
    private boolean isBegun;
    private boolean isAny = true;

    /** @param taken is told of each entry when it was taken, and may throw to end the walk */
    TableEntries(DumpSource dump, Runnable taken) {
        this.dump = dump;
        this.taken = taken;
        this.table = dump.table();
    }

    /** @throws UncheckedIOException if the dump cannot be read */
    @Override
    public boolean next() {
        if (!isBegun) {
            isBegun = true;
        } else if (isHere()) {
            taken.run();
            try {
                isAny = dump.next();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return isHere();
    }

    private boolean isHere() {
        return isAny && dump.table() == table;
    }

    /** Whether the dump is at an entry of another table, when there are no more of this one. */
    boolean isAnotherBehind() {
        return isAny && !isHere();
    }

    @Override
    public byte[] key() {
        return dump.key();
    }

    @Override
    public byte[] value() {
        return dump.value();
    }

    @Override
    public void visit(EntryVisitor visitor) {
        boolean isWanted = true;
        while (isWanted && next()) {
            isWanted = visitor.visit(key(), ByteBuffer.wrap(value()));
        }
    }

    /** Does nothing: the dump goes on with the next table, and its opener closes it. */
    @Override
    public void close() {}
}

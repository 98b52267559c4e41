package io.kvstore.engine;

import io.kvstore.data.Mutation;
import java.io.IOException;
import java.util.List;

/** Applies each operation at once, with the calls that live writes use. */
record DirectReplay(TableEngine engine) implements Replay {

    @Override
    public void admit(long bytes) throws IOException {
        engine.admit(bytes);
    }

    @Override
    public void add(long lsn, List<Mutation> mutations) throws IOException {
        for (TableEngine.Load load = engine.reserve(mutations); load != null; load = engine.reserve(mutations)) {
            Patience.untilDone(load);
        }
        engine.apply(lsn, mutations);
    }

    @Override
    public void flush() {
        // nothing is held
    }

    @Override
    public long heldBytes() {
        return 0;
    }
}

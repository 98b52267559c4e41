package io.kvstore.hash.table;

import io.kvstore.data.Mutation;
import io.kvstore.value.LiveValue;
import io.kvstore.value.ValueRelocation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Writes records once more, at the end of the newest segment, and lets their entries lead there. A record is alive if the entry
 * of its hash has exactly its place. A move changes no answer: the new record has the old key, value and lsn.
 */
public final class Moves implements ValueRelocation.Engine {

    private final TableState state;
    private final AtomicLong moved = new AtomicLong();

    public Moves(TableState state) {
        this.state = state;
    }

    @Override
    public <T> T locked(Supplier<T> look) {
        state.lock().lock();
        try {
            return look.get();
        } finally {
            state.lock().unlock();
        }
    }

    @Override
    public void move(List<LiveValue> some) throws IOException {
        moved.addAndGet(state.settled(() -> moveAlive(some)));
    }

    @Override
    public boolean isUnwanted(long segment) {
        return segment < state.records().oldestWanted();
    }

    /** Records that were moved since the table was opened. */
    public long moved() {
        return moved.get();
    }

    private int moveAlive(List<LiveValue> some) {
        List<Mutation> alive = new ArrayList<>(some.size());
        List<LiveValue> moves = new ArrayList<>(some.size());
        for (LiveValue one : some) {
            if (isAlive(one)) {
                alive.add(new Mutation.Put(one.key(), one.value()));
                moves.add(one);
            }
        }
        if (state.records().numbersLeft() <= moves.size()) {
            return 0; // there is no number for another segment before others have gone
        }
        state.changes().prepare(moves.size());
        state.records().values().log().reserve(alive, 0);
        boolean isDone = false;
        try {
            moves.forEach(this::move);
            isDone = true;
        } finally {
            if (!isDone) {
                state.tear("records were moved only in part");
            }
        }
        return moves.size();
    }

    private void move(LiveValue one) {
        long old = Records.placeOf(one.from());
        long place = state.records().add(one.key(), one.lsn(), one.value());
        state.settling().replace(state.hash().of(one.key()), old, place);
        state.records().release(old, one.key().length, one.value().length);
    }

    private boolean isAlive(LiveValue one) {
        return state.directory().contains(state.hash().of(one.key()), Records.placeOf(one.from()));
    }
}

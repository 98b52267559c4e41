package io.kvstore.hash.table;

import io.kvstore.data.Mutation;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes records once more, at the end of the newest segment, and lets their entries lead there. A record is alive if the entry
 * of its hash has exactly its place. A move changes no answer: the new record has the old key, value and lsn.
 */
public final class Moves {

    private final TableState state;

    /** A record that may be moved. */
    public record Move(ValuePointer from, byte[] key, long lsn, byte[] value) {}

    public Moves(TableState state) {
        this.state = state;
    }

    /** Moves those of the records that are alive. Returns how many. */
    public int move(List<Move> some) throws IOException {
        return state.settled(() -> moveAlive(some));
    }

    private int moveAlive(List<Move> some) {
        List<Mutation> alive = new ArrayList<>(some.size());
        List<Move> moves = new ArrayList<>(some.size());
        for (Move one : some) {
            if (isAlive(one)) {
                alive.add(new Mutation.Put(one.key, one.value));
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

    private void move(Move one) {
        long old = Records.placeOf(one.from);
        long place = state.records().add(one.key, one.lsn, one.value);
        state.settling().replace(state.hash().of(one.key), old, place);
        state.records().release(old, one.key.length, one.value.length);
    }

    private boolean isAlive(Move one) {
        return state.directory().contains(state.hash().of(one.key), Records.placeOf(one.from));
    }
}

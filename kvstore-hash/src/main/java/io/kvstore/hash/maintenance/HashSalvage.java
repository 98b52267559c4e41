package io.kvstore.hash.maintenance;

import io.kvstore.data.KeyOrder;
import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.hash.index.PageCopy;
import io.kvstore.hash.table.TableState;
import io.kvstore.value.segment.ValueRecord;
import java.io.IOException;
import java.util.function.BiConsumer;

/** Reads the records of a table that is not changed, one by one as the index leads to them, and passes over damaged ones. */
public final class HashSalvage {

    private final TableState state;
    private final Findings losses;
    private final BiConsumer<byte[], byte[]> receiver;
    private long entries;

    /**
     * Prepares a salvage.
     *
     * @param losses gets records that are damaged; their keys are not known
     */
    public HashSalvage(TableState state, Findings losses, BiConsumer<byte[], byte[]> receiver) {
        this.state = state;
        this.losses = losses;
        this.receiver = receiver;
    }

    /** Returns how many entries were passed on. */
    public long run() throws IOException {
        PageCopy page = new PageCopy();
        long prefix = 0;
        while (prefix != PageCopy.END) {
            long from = prefix;
            state.settled(() -> {
                state.directory().copy(from, page);
                return null;
            });
            for (int i = 0; i < page.count(); i++) {
                read(page.hash(i), page.place(i));
            }
            prefix = page.next();
        }
        return entries;
    }

    private void read(long hash, long place) {
        try {
            ValueRecord record = state.records().record(place);
            if (record != null && !state.hash().mayBeOf(hash, record.key())) {
                losses.report(state.records().ofOtherKey(place));
            } else if (record != null) {
                if (record.lsn() > state.newestLsn()) {
                    losses.report(
                            state.records().path(place),
                            state.records().offsetOf(place),
                            "key " + KeyOrder.display(record.key()) + " has an lsn that no operation had, "
                                    + record.lsn() + ", so its value may be wrong");
                }
                receiver.accept(record.key(), record.value());
                entries++;
            } else {
                losses.report(state.records().path(place), -1, "the segment of an entry is missing");
            }
        } catch (CorruptionException e) {
            losses.report(e);
        } catch (IOException e) {
            losses.report(state.records().path(place), state.records().offsetOf(place), "cannot be read: " + e);
        }
    }
}

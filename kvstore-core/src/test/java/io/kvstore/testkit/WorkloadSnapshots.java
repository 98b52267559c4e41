package io.kvstore.testkit;

import io.kvstore.KVStore;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Snapshots that a workload keeps open while it goes on, and what they have to show. */
final class WorkloadSnapshots {

    private static final int MOST = 2;

    private final StoreLedger ledger;
    private final SplittableRandom random;
    private final Tally tally;
    private final List<Open> open = new ArrayList<>();

    private record Open(Snapshot snapshot, Map<Table, ModelTable> models) {}

    WorkloadSnapshots(StoreLedger ledger, SplittableRandom random, Tally tally) {
        this.ledger = ledger;
        this.random = random;
        this.tally = tally;
    }

    /** Opens one, unless there are enough. */
    void open(KVStore store, List<String> tables) {
        if (open.size() < MOST) {
            tally.count("op.open snapshot");
            Map<Table, ModelTable> models = new LinkedHashMap<>();
            for (String name : tables) {
                StoreLedger.Home home = ledger.names().get(name);
                if (home != null) {
                    models.put(
                            StoreWorkload.tableOf(store, name),
                            ledger.live(home.uid()).snapshot());
                }
            }
            open.add(new Open(store.snapshot(), models));
        }
    }

    /** Compares one with its model, and perhaps closes it. */
    void check() {
        if (!open.isEmpty()) {
            Open one = open.get(random.nextInt(open.size()));
            tally.count("op.check snapshot");
            one.models().forEach((table, model) -> WorkloadReads.check(one.snapshot(), table, model));
            if (random.nextInt(2) == 0) {
                one.snapshot().close();
                open.remove(one);
            }
        }
    }

    /** The store was closed, and they with it. */
    void forget() {
        open.clear();
    }
}

package io.kvstore;

import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.durability.OpenTable;
import io.kvstore.durability.PinnedView;
import io.kvstore.durability.Replacement;
import io.kvstore.durability.StorageErrors;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.io.RealStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Makes a new store of what is whole of a damaged one. Nothing is written to the damaged store. What is missing is named: a key
 * whose value is damaged, the keys between which entries are damaged, the numbers between which the log is.
 */
public final class Salvage {

    private final OfflineStore from;
    private final KVStore to;
    private final Progress progress;
    private long copied;

    private Salvage(OfflineStore from, KVStore to, Progress progress) {
        this.from = from;
        this.to = to;
        this.progress = progress;
    }

    /**
     * Copies all entries that can be read to a new store.
     *
     * @param damaged the store, which nobody has open for writing
     * @param newDirectory must be empty or missing; if this fails, it has a part of the entries, and is to be deleted
     * @param progress is told how many entries were copied, with 0 for all, which are not known; it may stop the work
     * @throws InvalidRequestException if {@code damaged} was never a store, or {@code newDirectory} is not empty
     * @throws io.kvstore.error.StoreLockedException if the damaged store is open for writing
     * @throws io.kvstore.error.DiskFullException if the disk is full
     */
    public static SalvageReport run(Path damaged, Path newDirectory, Progress progress) {
        requireEmpty(newDirectory);
        requireApart(damaged, newDirectory);
        Findings losses = new Findings();
        try (OfflineStore from = OfflineStore.open(damaged, losses);
                KVStore to = new KVStore(newDirectory, KVStoreOptions.defaults().withDurability(Durability.BUFFERED))) {
            List<SalvageReport.SalvagedTable> tables = new Salvage(from, to, progress).run();
            to.checkpoint();
            return new SalvageReport(tables, losses);
        }
    }

    private static void requireApart(Path damaged, Path newDirectory) {
        try {
            RealStorage.forReading(damaged)
                    .requireApart(newDirectory, "the damaged store, to which nothing is written");
        } catch (IOException e) {
            throw StorageErrors.of("looking at " + newDirectory, e);
        }
    }

    private static void requireEmpty(Path directory) {
        RealStorage found;
        try {
            found = RealStorage.forReading(directory);
        } catch (InvalidRequestException e) {
            return; // it is missing, and will be made
        } catch (IOException e) {
            throw StorageErrors.of("looking at " + directory, e);
        }
        try {
            if (!found.list("").isEmpty()) {
                throw new InvalidRequestException(directory + " is not empty; give a new directory");
            }
        } catch (IOException e) {
            throw StorageErrors.of("looking at " + directory, e);
        }
    }

    private List<SalvageReport.SalvagedTable> run() {
        List<OpenTable> found = new ArrayList<>(from.parts().schema().all());
        found.sort(Comparator.comparing(OpenTable::database).thenComparing(OpenTable::name));
        from.parts().schema().databases().forEach(to::createDatabaseIfAbsent);
        Map<OpenTable, Table> targets = new HashMap<>();
        for (OpenTable table : found) {
            Table target = create(table);
            if (target != null) {
                targets.put(table, target);
                copy(table, target);
            }
        }
        from.damaged().replay((table, mutations, mayBeOlder) -> {
            Table target = targets.get(table);
            if (target != null) {
                mutations.forEach(change -> apply(target, change, mayBeOlder));
            }
        });
        targets.forEach(Salvage::limitValues);
        return found.stream().map(table -> salvaged(table, targets.get(table))).toList();
    }

    /** What may be older than an entry that came back does not replace it. */
    private void apply(Table target, Mutation change, boolean mayBeOlder) {
        switch (change) {
            case Mutation.Put put -> {
                if (!mayBeOlder || !target.contains(put.key())) {
                    target.put(put.key(), put.value(), early(target));
                }
            }
            case Mutation.Remove remove -> {
                if (!mayBeOlder) {
                    target.remove(remove.key(), early(target));
                }
            }
        }
    }

    /** The checkpoint at the end makes all durable. A table without a log takes no durability with a write. */
    private @Nullable Durability early(Table target) {
        return target.in(to).isLogged() ? Durability.BUFFERED : null;
    }

    private static SalvageReport.SalvagedTable salvaged(OpenTable table, @Nullable Table target) {
        long entries = target == null ? 0 : target.count(KeyRange.all());
        return new SalvageReport.SalvagedTable(
                table.database(), table.name(), table.engineName(), entries, table.failure() == null);
    }

    /** Null if the table cannot be made, such as for want of its engine. */
    private @Nullable Table create(OpenTable table) {
        Properties properties = new Properties();
        properties.putAll(table.definition().properties().asMap());
        properties.put(TableConfParamsEnum.MAX_VALUE_BYTES.name(), KVStoreOptions.HARD_MAX_VALUE_BYTES);
        try {
            return to.createTable(table.database(), table.name(), table.engineName(), properties);
        } catch (InvalidRequestException e) {
            from.losses().report(table.database() + "/" + table.name(), -1, "the table is lost: " + e.getMessage());
            return null;
        }
    }

    /** Values may be longer than the limit of their table, which may have been lowered since they were written. */
    private static void limitValues(OpenTable table, Table target) {
        Properties limit = new Properties();
        limit.put(TableConfParamsEnum.MAX_VALUE_BYTES, table.maxValueBytes());
        target.alter(limit);
    }

    private void copy(OpenTable table, Table target) {
        KVStoreException failure = table.failure();
        if (failure != null) {
            String name = table.database() + "/" + table.name();
            from.losses()
                    .report(
                            name,
                            -1,
                            "nothing of the table's files can be read, only the log: " + failure.getMessage());
            return;
        }
        OpenTable open = target.in(to);
        try (PinnedView view = from.parts().reads().view(table)) {
            if (open.takesFiles()) {
                fill(table, view, open);
            } else {
                Durability early = early(target);
                scan(table, view, (key, value) -> target.put(key, value, early));
            }
        }
    }

    private void fill(OpenTable table, PinnedView view, OpenTable target) {
        try (Replacement replacement = to.parts().schema().replacement(target, 0)) {
            replacement.build(Sealing.SETTINGS);
            scan(table, view, replacement::put);
            replacement.finish(Progress.NONE);
            replacement.swapIn(null);
        }
    }

    private void scan(OpenTable table, PinnedView view, SalvageScan.Sink sink) {
        new SalvageScan(table, view, from, (key, value) -> {
                    sink.put(key, value);
                    if (++copied % 1_000 == 0 && !progress.advanced(copied, 0)) {
                        throw new InvalidRequestException("the salvage was stopped; delete the new directory");
                    }
                })
                .run();
    }
}

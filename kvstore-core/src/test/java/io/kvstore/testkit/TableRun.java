package io.kvstore.testkit;

import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Runs a history against one engine and the model, step by step. */
final class TableRun {

    private final List<EngineHarness.Snap> snapshots = new ArrayList<>();
    private SimStorage disk = new SimStorage();
    private EngineHarness table;

    private TableRun(EngineHarness table) {
        this.table = table;
    }

    static void of(TableEngineProvider provider, Map<String, ?> properties, List<TableStep> history)
            throws IOException {
        SimStorage disk = new SimStorage();
        TableRun run = new TableRun(EngineHarness.create(provider, properties, new FaultyStorage(disk)));
        run.disk = disk;
        run.run(history);
    }

    /** Runs a history without crashes in a storage of another kind. */
    static void on(Storage storage, TableEngineProvider provider, Map<String, ?> properties, List<TableStep> history)
            throws IOException {
        new TableRun(EngineHarness.create(provider, properties, storage)).run(history);
    }

    private void run(List<TableStep> history) throws IOException {
        for (int i = 0; i < history.size(); i++) {
            try {
                step(history.get(i));
            } catch (IOException | RuntimeException | AssertionError e) {
                throw new AssertionError("step " + i + ", " + history.get(i) + ": " + e, e);
            }
        }
        table.check();
        closeSnapshots();
        table.close();
    }

    private void step(TableStep step) throws IOException {
        switch (step) {
            case TableStep.Write(var mutations) -> table.write(mutations);
            case TableStep.Get(byte[] key, int snapshot) ->
                table.answers().checkGet(view(snapshot), model(snapshot), key);
            case TableStep.Scan(var range, int snapshot) ->
                table.answers().checkScan(view(snapshot), model(snapshot), range);
            case TableStep.OpenSnapshot() -> snapshots.add(table.openSnapshot());
            case TableStep.CloseSnapshot(int snapshot) -> {
                if (!snapshots.isEmpty()) {
                    table.close(snapshots.remove(snapshot % snapshots.size()));
                }
            }
            case TableStep.Flush() -> table.engine().flush();
            case TableStep.Checkpoint() -> table.engine().checkpoint();
            case TableStep.Optimize() -> table.engine().optimize((done, total) -> true);
            case TableStep.Tick(int millis) -> table.background().tick(millis);
            case TableStep.SyncLog() -> table.barrier().sync(table.lastLsn());
            case TableStep.Reopen() -> {
                closeSnapshots();
                table.reopen();
            }
            case TableStep.Crash(long seed) -> crash(seed);
        }
    }

    private void crash(long seed) throws IOException {
        closeSnapshots();
        SplittableRandom random = new SplittableRandom(seed);
        long durable = table.barrier().durableLsn();
        List<EngineHarness.Logged> later = table.log().stream()
                .filter(operation -> operation.lsn() > durable)
                .toList();
        int kept = random.nextInt(later.size() + 1);
        SimStorage left = disk.crash(new CrashChoice.Random(random.nextLong(), false));
        EngineHarness recovered =
                table.after(left, kept == 0 ? durable : later.get(kept - 1).lsn());
        if (recovered.engine().durableLsn() < table.engine().durableLsn()) {
            throw new AssertionError("the files held lsn " + table.engine().durableLsn()
                    + " before the crash, and hold " + recovered.engine().durableLsn());
        }
        table.abandon();
        disk.powerOff();
        disk = left;
        table = recovered;
        table.check();
    }

    private void closeSnapshots() {
        snapshots.forEach(table::close);
        snapshots.clear();
    }

    private ReadView view(int snapshot) {
        return snapshot < 0 || snapshots.isEmpty()
                ? ReadView.LATEST
                : snapshots.get(snapshot % snapshots.size()).view();
    }

    private ModelTable model(int snapshot) {
        return snapshot < 0 || snapshots.isEmpty()
                ? table.model()
                : snapshots.get(snapshot % snapshots.size()).model();
    }
}

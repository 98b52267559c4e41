package io.kvstore.bplus;

import io.kvstore.bplus.pending.ChangeBuffer;
import io.kvstore.bplus.pending.LayerTexts;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.data.Mutation;
import io.kvstore.engine.TableEngine;
import io.kvstore.testkit.ScriptCommand;
import io.kvstore.testkit.ScriptContract;
import io.kvstore.value.segment.StoredValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where changes wait, and when they get into the tree. {@code table layer=1000 buffer=0} makes a table that keeps values of
 * 100 bytes and more apart and seals a layer with {@code layer} bytes of these. Below {@code write} each line is an operation
 * of changes such as {@code put a x}, {@code put k01..k09 x*200} or {@code remove a}, with {@code +} between them. {@code
 * merge} has everything merged, {@code background} does the work that waits for others.
 */
final class LayersAndMergesTest extends ScriptContract {

    @Override
    protected String subject() {
        return "changes";
    }

    @Override
    protected Commands begin() throws IOException {
        return new Changes();
    }

    private static final class Changes implements Commands {

        private final TreeSet<Long> snapshots = new TreeSet<>();
        private final AtomicLong durable = new AtomicLong();
        private TestTree table = table(1_000, 0);
        private long lsn;

        Changes() throws IOException {}

        private TestTree table(long layerBytes, long bufferBytes) throws IOException {
            return new TestTree(
                    400,
                    4 << 20,
                    () -> snapshots.stream().mapToLong(Long::longValue).toArray(),
                    durable,
                    new ChangeBuffer.Sizes(100, bufferBytes, layerBytes, () -> layerBytes));
        }

        @Override
        public String run(ScriptCommand command) throws IOException {
            return switch (command.name()) {
                case "table" -> {
                    table.close();
                    table = table(command.number("layer", 1_000), command.number("buffer", 0));
                    yield "";
                }
                case "write" -> write(command.body());
                case "show" -> shown();
                case "merge" -> {
                    table.changes().mergeAll();
                    yield shown();
                }
                case "background" -> {
                    table.background().runAll();
                    yield shown();
                }
                case "snapshot" -> {
                    snapshots.add(lsn);
                    yield "at lsn " + lsn;
                }
                case "release" -> {
                    snapshots.remove(Long.parseLong(command.words().getFirst()));
                    yield "";
                }
                case "get" -> got(command);
                case "look" -> looked(command.number("at", lsn));
                default -> throw command.unknown();
            };
        }

        private String write(List<String> lines) throws IOException {
            List<String> told = new ArrayList<>();
            for (String line : lines) {
                List<Mutation> operation = new ArrayList<>();
                for (String change : line.split("\\+", -1)) {
                    addChanges(change.strip(), operation);
                }
                lsn++;
                TableEngine.Load load = table.changes().reserve(operation);
                while (load != null) {
                    told.add(lsn + " waits, " + table.changes().size() + " changes are before it");
                    load.run();
                    load = table.changes().reserve(operation);
                }
                table.changes().apply(lsn, operation);
            }
            told.addAll(LayerTexts.of(table.changes()));
            return String.join("\n", told);
        }

        private static void addChanges(String text, List<Mutation> operation) {
            ScriptCommand change = ScriptCommand.of(text);
            for (String key : TreeTexts.keys(change.words().getFirst())) {
                byte[] name = TreeTexts.bytes(key);
                switch (change.name()) {
                    case "put" ->
                        operation.add(
                                new Mutation.Put(name, value(change.words().get(1))));
                    case "remove" -> operation.add(new Mutation.Remove(name));
                    default -> throw change.unknown();
                }
            }
            change.requireAllAsked();
        }

        /** A value such as {@code x}, or {@code x*200}. */
        private static byte[] value(String text) {
            String[] parts = text.split("\\*", -1);
            return TreeTexts.bytes(parts.length == 1 ? text : parts[0].repeat(Integer.parseInt(parts[1])));
        }

        private String shown() throws IOException {
            List<String> lines = new ArrayList<>(LayerTexts.of(table.changes()));
            TreeVersions.State state = table.parts().versions().now();
            String entries = new TreeTexts(table).entries(state.rootId());
            lines.add(("tree at lsn " + state.lsn() + ": " + entries).stripTrailing());
            lines.add("durable up to lsn " + durable.get());
            return String.join("\n", lines);
        }

        private String looked(long at) {
            try (TreeVersions.Look look = table.changes().look(at)) {
                TreeVersions.State state = look.state();
                return "tree at lsn " + state.lsn() + ": " + new TreeTexts(table).entries(state.rootId())
                        + (look.isNewest() ? "\nand the changes that wait" : "");
            }
        }

        private String got(ScriptCommand command) throws IOException {
            byte[] key = TreeTexts.bytes(command.words().getFirst());
            long at = command.number("at", -1);
            StoredValue answer = at < 0
                    ? table.points().getNewest(key, null)
                    : table.points().get(key, at);
            byte[] value = answer.value();
            return value == null
                    ? "absent, rests on lsn " + answer.lsn()
                    : TreeTexts.shown(value) + ", lsn " + answer.lsn();
        }

        @Override
        public void close() throws IOException {
            table.close();
        }
    }
}

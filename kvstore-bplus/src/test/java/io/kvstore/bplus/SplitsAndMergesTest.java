package io.kvstore.bplus;

import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.testkit.ScriptCommand;
import io.kvstore.testkit.ScriptContract;
import io.kvstore.value.segment.StoredValue;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pages that are divided, shared and merged. {@code tree order=3 buffer=128} makes an empty tree whose pages have at most
 * three entries, in a buffer of 128 units of pages. {@code put} and {@code remove} make each change as an operation of its
 * own, {@code apply} all those below it together, in the order of their keys; {@code size} is that of the values. {@link
 * TreeTexts#keys} says which keys a word stands for, and {@link TreeTexts#pages} prints the tree.
 */
final class SplitsAndMergesTest extends ScriptContract {

    @Override
    protected String subject() {
        return "pages";
    }

    @Override
    protected Commands begin() throws IOException {
        return new Pages();
    }

    private static final class Pages implements Commands {

        private TestTree table = tree(3, 128);
        private TreeTexts texts = new TreeTexts(table);
        private TreeVersions.@Nullable Look look;
        private long lsn;

        Pages() throws IOException {}

        private static TestTree tree(long order, long units) throws IOException {
            return new TestTree((int) order, units * PageFile.UNIT_BYTES, () -> new long[0], null);
        }

        @Override
        public String run(ScriptCommand command) throws IOException {
            switch (command.name()) {
                case "tree" -> begin(command);
                case "put", "remove" -> each(command);
                case "apply" -> apply(command.body());
                case "sparse" -> sparse(command.words());
                case "look" -> look = table.parts().versions().look();
                case "get" -> {
                    return got(command.words().getFirst());
                }
                default -> throw command.unknown();
            }
            return texts.pages();
        }

        private void begin(ScriptCommand command) throws IOException {
            close();
            table = tree(command.number("order", 3), command.number("buffer", 128));
            texts = new TreeTexts(table);
            lsn = 0;
        }

        private void each(ScriptCommand command) {
            byte[] value = new byte[(int) command.number("size", 1)];
            for (String word : command.words()) {
                for (String key : TreeTexts.keys(word)) {
                    lsn++;
                    ChangeArena one = new ChangeArena(ChangeArena.MAX_BYTES);
                    add(one, command.name(), key, lsn, value);
                    apply(one);
                    table.tree().applied(lsn);
                }
            }
        }

        private static void add(ChangeArena changes, String name, String key, long lsn, byte[] value) {
            if (name.equals("put")) {
                changes.addValue(TreeTexts.bytes(key), lsn, value);
            } else {
                changes.addRemoval(TreeTexts.bytes(key), lsn);
            }
        }

        /** Lines are {@code put k01..k09 lsn=5 size=200}. */
        private void apply(List<String> lines) {
            ChangeArena all = new ChangeArena(ChangeArena.MAX_BYTES);
            for (String line : lines) {
                ScriptCommand change = ScriptCommand.of(line);
                byte[] value = new byte[(int) change.number("size", 1)];
                lsn = change.number("lsn", lsn + 1);
                change.words()
                        .forEach(word -> TreeTexts.keys(word).forEach(key -> add(all, change.name(), key, lsn, value)));
                change.requireAllAsked();
            }
            apply(all);
        }

        private void apply(ChangeArena changes) {
            SortedChanges sorted = changes.sort();
            for (int done = 0; done < sorted.size(); ) {
                done = table.tree().applySorted(sorted, done, 1);
            }
        }

        private void sparse(List<String> keys) {
            for (String key : keys) {
                if (!table.tree().mergeSparse(TreeTexts.bytes(key))) {
                    throw new AssertionError("a page is not in memory");
                }
            }
        }

        private String got(String key) throws IOException {
            StoredValue answer = table.points().getNewest(TreeTexts.bytes(key), null);
            return (answer.value() == null ? "absent" : "present") + ", rests on lsn " + answer.lsn();
        }

        @Override
        public void close() throws IOException {
            if (look != null) {
                look.close();
                look = null;
            }
            texts.check();
            table.close();
        }
    }
}

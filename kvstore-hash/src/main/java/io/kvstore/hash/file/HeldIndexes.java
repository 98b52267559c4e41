package io.kvstore.hash.file;

import io.kvstore.engine.HeldFile;
import io.kvstore.engine.TableContext;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The held index files of a table. A file that was replaced goes with the last hold of it. Safe for use by several threads. */
final class HeldIndexes {

    private final TableContext context;
    private final Predicate<OpenFile> isReplaced;
    private final Set<HeldIndex> open = ConcurrentHashMap.newKeySet();

    HeldIndexes(TableContext context, Predicate<OpenFile> isReplaced) {
        this.context = context;
        this.isReplaced = isReplaced;
    }

    HeldFile hold(OpenFile file, CommitPlace commit) {
        HeldIndex hold = new HeldIndex(context, file, commit, isReplaced, this::released);
        HeldFile held = hold.file();
        open.add(hold); // the last step that needs memory
        return held;
    }

    private void released(HeldIndex hold) {
        open.remove(hold);
        if (isReplaced.test(hold.held())) {
            deleteUnlessHeld(hold.held());
        }
    }

    /** Deletes a file that was replaced. */
    void deleteUnlessHeld(OpenFile file) {
        if (open.stream().noneMatch(hold -> hold.held().number() == file.number())) {
            IndexDirectory.delete(context, file.path());
        }
    }
}

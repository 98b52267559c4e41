package io.kvstore.bplus.maintenance;

import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.data.Mutation;
import io.kvstore.value.LiveValue;
import io.kvstore.value.ValueRelocation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Moves values of a tree for {@link ValueRelocation}. Whether an entry still leads to a value is looked at under the lock for
 * writing.
 */
final class ValueMoves implements ValueRelocation.Engine {

    private final Tree tree;
    private final TreeParts parts;
    private final PageSupply pages;
    private long missing;
    private volatile boolean stopped;

    ValueMoves(Tree tree, TreeParts parts, PageSupply pages) {
        this.tree = tree;
        this.parts = parts;
        this.pages = pages;
    }

    @Override
    public <T> T locked(Supplier<T> look) {
        try (RankedLock.Held _ = parts.putting().hold()) {
            return look.get();
        }
    }

    @Override
    public void move(List<LiveValue> some) throws IOException {
        try {
            int done = tryMove(some, 0);
            while (done < some.size() && !stopped) {
                pages.load(List.of(missing));
                done = tryMove(some, done);
            }
        } finally {
            parts.buffer().releaseKept();
        }
    }

    /** The most pages that this many values make: a copy and a split of each page on their paths. */
    private int newPages(int count) {
        return 2 * (tree.height() + 1) * count;
    }

    /** Moves values from an index on, up to the first whose page is missing. Returns the index of that one. */
    private int tryMove(List<LiveValue> some, int from) throws IOException {
        List<Mutation> rest = new ArrayList<>(some.size());
        some.subList(from, some.size()).forEach(one -> rest.add(new Mutation.Put(one.key(), one.value())));
        int newPages = newPages(rest.size());
        pages.makeRoom(newPages); // each time, because pages that were loaded meanwhile took some of the room
        try (RankedLock.Held _ = parts.writing().hold()) {
            parts.buffer().prepare(newPages);
            reserve(rest);
            int done = tree.move(some, from);
            missing = tree.missingPage();
            return done;
        }
    }

    private void reserve(List<Mutation> mutations) {
        try (RankedLock.Held _ = parts.putting().hold()) {
            parts.values().log().reserve(mutations, 0);
        }
    }

    /** Lets a move end soon. */
    void stop() {
        stopped = true;
    }
}

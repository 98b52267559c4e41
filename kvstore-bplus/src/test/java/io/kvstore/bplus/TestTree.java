package io.kvstore.bplus;

import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.buffer.PageIds;
import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.lock.TreeLocks;
import io.kvstore.bplus.pending.ChangeBuffer;
import io.kvstore.bplus.pending.LayerMerge;
import io.kvstore.bplus.tree.SortedMerge;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.bplus.tree.TreeReader;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.bplus.tree.ValueReader;
import io.kvstore.data.KeyHash;
import io.kvstore.data.TableParameter;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.Snapshots;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.ReplacedPart;
import io.kvstore.testkit.StepBackground;
import io.kvstore.value.ValueIndex;
import io.kvstore.value.ValueStore;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The parts of a table in memory, without files of pages and without background work. */
final class TestTree implements AutoCloseable {

    static final PageSupply NO_PAGES = new PageSupply() {
        @Override
        public void load(List<Long> ids) {
            throw new AssertionError("pages " + ids + " are not in memory");
        }

        @Override
        public void makeRoom(int units) {
            // there is enough
        }
    };

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final EngineHarness beside;
    private final TreeParts parts;
    private final Tree tree;
    private final ChangeBuffer changes;
    private final TreeReader reader;
    private final PointReader points;
    private final ValueReader values;

    /** Opens tables, and tells with what. */
    private static final class Opening implements TableEngineProvider {

        private final TableEngineProvider provider = new BPlusEngineProvider();
        private final List<TableContext> contexts = new ArrayList<>();

        @Override
        public String name() {
            return provider.name();
        }

        @Override
        public List<TableParameter> parameters() {
            return provider.parameters();
        }

        @Override
        public TableEngine open(TableContext context) throws IOException {
            contexts.add(context);
            return provider.open(context);
        }
    }

    /** @param durable what is durable from time to time, or null for a table that does not care */
    TestTree(int order, long bufferBytes, Snapshots snapshots, @Nullable AtomicLong durable) throws IOException {
        this(order, bufferBytes, snapshots, durable, new ChangeBuffer.Sizes(1_000, 1 << 20, 1 << 20, () -> 1 << 20));
    }

    /** @param sizes when values are kept apart, and when layers are sealed */
    TestTree(int order, long bufferBytes, Snapshots snapshots, @Nullable AtomicLong durable, ChangeBuffer.Sizes sizes)
            throws IOException {
        Opening opening = new Opening();
        beside = EngineHarness.create(opening, Map.of());
        TableContext given = opening.contexts.getFirst();
        TableContext context =
                ReplacedPart.of(durable == null ? given : ReplacedPart.of(given, barrier(durable)), snapshots);
        PageIds ids = new PageIds(1);
        TreeLocks locks = new TreeLocks();
        RankedLock writing = locks.writing();
        PageBuffer buffer = new PageBuffer(context, bufferBytes, null, ids, writing);
        TreeVersions versions = new TreeVersions(snapshots, new TreeVersions.State(0, 0, 0), () -> 0);
        HashIndex places = new HashIndex(context.memory(), 16 << 10, new KeyHash(context.seed()));
        ValueStore store = ValueStore.open(context, new ValueStore.Sizes(1 << 20, 1 << 20), ValueSegmentList.EMPTY);
        ValueIndex index = new ValueIndex(places, store.log());
        parts = new TreeParts(buffer, ids, versions, store, index, locks);
        locks.setMonitor(TreeLocks.Rank.VERSIONS, versions);
        locks.setMonitor(TreeLocks.Rank.BUFFER, buffer);
        locks.setMonitor(TreeLocks.Rank.IDS, ids);
        tree = new Tree(parts, cause -> failure.compareAndSet(null, cause), order);
        LayerMerge merge = new LayerMerge(
                context,
                tree,
                new SortedMerge(tree, parts, NO_PAGES, true),
                writing,
                new LayerMerge.Pace(() -> false, () -> {}));
        changes = new ChangeBuffer(context, tree, parts, merge, sizes);
        values = new ValueReader(store, index, context.barrier(), context.directory());
        reader = new TreeReader(buffer, tree, values);
        points = new PointReader(changes, reader, values);
    }

    private static DurabilityBarrier barrier(AtomicLong durable) {
        return new DurabilityBarrier() {
            @Override
            public void beforeAnswer(long lsn) {
                beforeCommitPoint(lsn);
            }

            @Override
            public boolean isPassed(long lsn) {
                return lsn <= durable.get();
            }

            @Override
            public void beforeCommitPoint(long lsn) {
                durable.accumulateAndGet(lsn, Math::max);
            }
        };
    }

    TreeParts parts() {
        return parts;
    }

    Tree tree() {
        return tree;
    }

    ChangeBuffer changes() {
        return changes;
    }

    TreeReader reader() {
        return reader;
    }

    /** The work that the table has left to others. */
    StepBackground background() {
        return beside.background();
    }

    PointReader points() {
        return points;
    }

    ValueReader values() {
        return values;
    }

    /** What the tree told the store of. */
    @Nullable
    Throwable failure() {
        return failure.get();
    }

    /** Gives back the pages that nobody looks at. */
    void reclaim() {
        for (long id : parts.versions().reclaim()) {
            if (!parts.buffer().discard(id)) {
                parts.versions().giveAgain(id);
            }
        }
    }

    @Override
    public void close() throws IOException {
        changes.stop();
        parts.buffer().close();
        parts.index().places().close();
        parts.values().close();
        beside.close();
    }
}

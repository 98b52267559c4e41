package io.kvstore.bplus;

import io.kvstore.bplus.file.FinalFailureException;
import io.kvstore.bplus.file.Image;
import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.file.Superblock;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.OverloadedException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A B+tree over a page buffer. {@link Tree} is the writer's side, {@link TreeReader} the readers', {@link PageBuffer} what
 * of it is in memory, {@link Generations} which older states are kept, {@link Checkpoint} how a state gets to the file.
 *
 * <p>Locks, in the order they are taken: the table's write lock (the store's), {@link Generations}, {@link PageBuffer},
 * {@link PageIds}. None is held over I/O. The one lock that
 * is belongs to the places of the file, while its end is cut off: see {@link Image#truncate}.
 */
final class BPlusEngine implements TableEngine {

    private static final long RECLAIM_EVERY = 64;

    private final TableContext context;
    private final @Nullable Image image;
    private final PageIds ids;
    private final PageBuffer buffer;
    private final Generations generations;
    private final Tree tree;
    private final TreeReader reader;
    private final String file;
    private volatile long durableLsn;
    private volatile boolean diskFull;
    private volatile long reclaimAt = RECLAIM_EVERY;
    private final AtomicLong checkpoints = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();

    private BPlusEngine(TableContext context, @Nullable Image image) {
        Superblock state = image == null ? new Superblock(1, 0, 0, 1, 0, List.of()) : image.newest();
        this.context = context;
        this.image = image;
        this.file = context.directory() + "/" + Image.NAME;
        this.ids = new PageIds(state.nextPageId());
        this.generations = new Generations(
                context.snapshots(), new Generations.State(state.rootId(), state.lsn(), state.entries()));
        long bufferBytes = context.properties().wholeNumber(BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES.name());
        this.buffer = new PageBuffer(context, bufferBytes, image, ids);
        long order = context.properties().wholeNumber(BPlusConfParamsEnum.BTREE_ORDER.name());
        this.tree = new Tree(buffer, ids, generations, (int) order, file);
        this.reader = new TreeReader(buffer, generations, tree, file);
        this.durableLsn = state.lsn();
    }

    static BPlusEngine open(TableContext context) throws IOException {
        Image image = openImage(context);
        boolean opened = false;
        try {
            BPlusEngine engine = new BPlusEngine(context, image);
            engine.addPages();
            opened = true;
            return engine;
        } finally {
            if (!opened && image != null) {
                image.close();
            }
        }
    }

    private static @Nullable Image openImage(TableContext context) throws IOException {
        String path = context.directory() + "/" + Image.NAME;
        if (!context.storage().exists(path)) {
            List<String> names = new ArrayList<>(context.storage().list(context.directory()));
            names.remove(Image.NAME + AtomicFile.TEMPORARY);
            if (!names.isEmpty()) {
                throw new CorruptionException(path, -1, "is missing beside " + names);
            }
            if (context.readOnly()) {
                return null;
            }
            Image.create(context.storage(), context.directory(), context.fileTag());
        }
        StorageFile opened = context.readOnly()
                ? context.storage().openReadOnly(path)
                : context.storage().open(path);
        boolean complete = false;
        try {
            Image image = Image.open(opened, context.fileTag());
            if (!context.readOnly()) {
                image.confirm();
            }
            complete = true;
            return image;
        } catch (FinalFailureException e) {
            context.failures().fail(e);
            throw e;
        } finally {
            if (!complete) {
                opened.close();
            }
        }
    }

    private void addPages() {
        if (image != null) {
            for (long id = 0; id < image.endOfIds(); id++) {
                if (image.location(id) != 0) {
                    ids.add(id, image.location(id));
                }
            }
        }
        ids.added();
    }

    @Override
    public byte @Nullable [] get(byte[] key, ReadView view) throws IOException {
        TreeReader.Answer answer;
        if (view.lsn() == Long.MAX_VALUE) {
            answer = reader.getNewest(key);
        } else {
            try (Generations.Look look = generations.look(view.lsn())) {
                answer = reader.get(look.state(), key);
            }
        }
        if (view.barrier()) {
            context.barrier().beforeAnswer(answer.lsn());
        }
        return answer.value();
    }

    @Override
    public EngineCursor scan(KeyRange range, ReadView view) throws IOException {
        Generations.Look look = generations.look(view.lsn());
        boolean handedOn = false;
        try {
            if (view.barrier()) {
                context.barrier().beforeAnswer(look.state().lsn());
            }
            TreeCursor cursor = new TreeCursor(reader, buffer, look, range, file);
            handedOn = true;
            return cursor;
        } finally {
            if (!handedOn) {
                look.close();
            }
        }
    }

    @Override
    public long count(KeyRange range, ReadView view) throws IOException {
        try (EngineCursor cursor = scan(range.withoutValues(), view)) {
            long count = 0;
            while (cursor.next()) {
                count++;
            }
            return count;
        }
    }

    @Override
    public void admit(long bytes) throws IOException {
        reclaim();
        try {
            buffer.makeRoom((int) Math.min(1 << 20, 4 + bytes / PageFile.UNIT_BYTES));
            diskFull = false;
        } catch (NoSpaceException e) {
            diskFull = true;
        }
    }

    /** While the disk is full, only removals may take more memory than the buffer has. */
    private void requireRoom() throws IOException {
        try {
            buffer.makeRoom(1);
            diskFull = false;
        } catch (NoSpaceException e) {
            throw new DiskFullException(
                    context.directory()
                            + ": the page buffer is full of pages that do not fit on the disk; free some space",
                    e);
        }
    }

    @Override
    public @Nullable Load reserve(List<Mutation> mutations) {
        if (diskFull && mutations.stream().anyMatch(Mutation.Put.class::isInstance)) {
            return this::requireRoom;
        }
        buffer.hold();
        List<Long> missing = tree.missing(mutations);
        if (!missing.isEmpty()) {
            buffer.unhold();
            return () -> loadAll(missing);
        }
        try {
            buffer.prepare(pagesFor(mutations));
            return null;
        } catch (OutOfMemoryError e) {
            buffer.unhold();
            return () -> {
                throw new OverloadedException(
                        context.directory()
                                + ": the machine has no memory outside the heap for a write; lower memoryBytes",
                        e);
            };
        }
    }

    /** More pages than a usual operation makes: a copy and a split for each page of a path, and what the values fill. */
    private int pagesFor(List<Mutation> mutations) {
        long bytes = 0;
        for (Mutation mutation : mutations) {
            bytes += 64L + mutation.key().length + (mutation instanceof Mutation.Put put ? put.value().length : 0);
        }
        long paths = 2L * (tree.height() + 1);
        return (int) Math.min(
                1 << 16, paths + Math.min(paths * mutations.size(), 8 * bytes / PageFile.UNIT_BYTES + paths));
    }

    private void loadAll(List<Long> missing) throws IOException {
        for (long id : missing) {
            boolean kept = false;
            while (!kept) {
                buffer.load(id);
                kept = buffer.keep(id) || ids.location(id) == 0;
            }
        }
    }

    @Override
    public void cancel(List<Mutation> mutations) {
        buffer.releaseKept();
        buffer.unhold();
    }

    @Override
    public void apply(long lsn, List<Mutation> mutations) {
        tree.apply(lsn, mutations);
        buffer.releaseKept();
        buffer.unhold();
    }

    /** Gives back the pages that no state has which somebody can look at. */
    private void reclaim() {
        if (generations.retiredPages() >= reclaimAt) {
            reclaimNow();
        }
    }

    private void reclaimNow() {
        for (long id : generations.reclaim()) {
            if (!buffer.discard(id)) {
                generations.giveAgain(id);
            }
        }
        reclaimAt = Math.max(RECLAIM_EVERY, 2L * generations.retiredPages());
    }

    @Override
    public long checkpoint() throws IOException {
        Image target = image;
        if (target == null || context.readOnly() || generations.now().lsn() <= durableLsn) {
            return durableLsn;
        }
        try {
            new Checkpoint(target, buffer, ids, generations, context.barrier()).run();
        } catch (IOException | RuntimeException e) {
            if (e instanceof FinalFailureException || !(e instanceof IOException || e instanceof KVStoreException)) {
                context.failures().fail(e);
            }
            throw e;
        }
        durableLsn = target.newest().lsn();
        checkpoints.incrementAndGet();
        reclaimNow();
        return durableLsn;
    }

    @Override
    public long durableLsn() {
        return durableLsn;
    }

    @Override
    public void flush() throws IOException {
        checkpoint();
    }

    @Override
    public void optimize(Progress progress) throws IOException {
        checkpoint();
        progress.advanced(1, 1);
    }

    @Override
    public EngineStats stats() {
        PageBuffer.Counts counts = buffer.counts();
        List<EngineStats.Measure> measures = new ArrayList<>();
        add(measures, "height_levels", tree.height(), "Pages from the root to a leaf.");
        add(measures, "pages", ids.liveCount(), "Pages of the tree.");
        add(measures, "resident_units", counts.units(), "Units of 4 KiB in the page buffer.");
        add(measures, "dirty_pages", counts.dirtyPages(), "Pages in memory that the file has not got.");
        add(measures, "page_loads", counts.loads(), "Pages read from the file since the table was opened.");
        add(measures, "page_evictions", counts.evictions(), "Pages evicted since the table was opened.");
        add(measures, "retired_pages", generations.retiredPages(), "Pages kept for older states.");
        add(measures, "checkpoints", checkpoints.get(), "Checkpoints since the table was opened.");
        return new EngineStats(
                generations.now().entries(), counts.bytes(), diskBytes(), durableLsn, List.copyOf(measures));
    }

    private long diskBytes() {
        return image == null ? 0 : image.pages().takenBytes();
    }

    private static void add(List<EngineStats.Measure> measures, String name, long value, String help) {
        measures.add(new EngineStats.Measure(name, (double) value, help));
    }

    @Override
    public void verify(Findings findings) throws IOException {
        try (Generations.Look look = generations.look(Long.MAX_VALUE)) {
            new TreeCheck(buffer, look.state(), file, findings).run();
        }
        if (image != null) {
            image.verify(findings);
        }
    }

    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            buffer.close();
            if (image != null) {
                image.close();
            }
        }
    }
}

package io.kvstore.testkit;

import io.kvstore.io.NoSpaceException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A simulated file: what the system shows, what the disk holds, and the changes in between, in order. Guarded by the
 * monitor of its {@link SimStorage}.
 *
 * <p>A sector that is kept by a crash is kept whole, as it was after the write that is kept: so of several writes to one
 * sector a crash leaves none, or those up to any of them.
 */
final class SimInode implements SimNode {

    static final int SECTOR_BYTES = 512;

    private final SimStorage storage;
    private SimContent current;
    private SimContent durable;
    private final List<Pending> pending = new ArrayList<>();
    private @Nullable MemorySegment mapped;
    private int mappings;
    private int references;

    /** A change that is not durable; {@code order} is its place among all changes of the storage. */
    sealed interface Pending {
        long order();
    }

    /** Bytes written, by a call or through a mapping. */
    record Write(long order, long position, byte[] bytes, boolean mapped) implements Pending {
        long end() {
            return position + bytes.length;
        }
    }

    /** The file was cut. */
    record Cut(long order, long size) implements Pending {}

    SimInode(SimStorage storage) {
        this(storage, new SimContent(), new SimContent());
    }

    private SimInode(SimStorage storage, SimContent current, SimContent durable) {
        this.storage = storage;
        this.current = current;
        this.durable = durable;
    }

    List<Pending> pending() {
        return pending;
    }

    long size() {
        return current.size();
    }

    int read(ByteBuffer target, long position) {
        notice();
        return current.read(target, position);
    }

    void write(byte[] bytes, long position) throws NoSpaceException {
        notice();
        long fitting = Math.min(bytes.length, storage.roomAfter(current.size()) - position);
        if (fitting > 0) {
            byte[] written = fitting == bytes.length ? bytes : Arrays.copyOf(bytes, (int) fitting);
            change(position, written, false);
            show(position, written);
        }
        if (fitting < bytes.length) {
            throw new NoSpaceException("the simulated disk is full");
        }
    }

    private void change(long position, byte[] bytes, boolean throughMapping) {
        long before = current.size();
        current.write(position, bytes, 0, bytes.length);
        storage.used(current.size() - before);
        pending.add(new Write(storage.nextOrder(), position, bytes, throughMapping));
    }

    /** Lets a mapping see what was written beside it. */
    private void show(long position, byte[] bytes) {
        MemorySegment memory = mapped;
        if (memory != null && position < memory.byteSize()) {
            long count = Math.min(bytes.length, memory.byteSize() - position);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, position, count);
        }
    }

    /** Makes the file hold exactly these bytes, durable at once. */
    void replace(byte[] bytes) {
        notice();
        long before = current.size();
        current = new SimContent();
        current.write(0, bytes, 0, bytes.length);
        durable = current.copy();
        pending.clear();
        storage.used(bytes.length - before);
        show(0, bytes);
    }

    void truncate(long size) {
        if (size < current.size()) {
            notice();
            storage.used(size - current.size());
            current.resize(size);
            pending.add(new Cut(storage.nextOrder(), size));
        }
    }

    /** Turns what was stored through the mapping into pending writes, a sector each. */
    void notice() {
        MemorySegment memory = mapped;
        if (memory == null) {
            return;
        }
        long end = Math.min(memory.byteSize(), current.size());
        for (long at = 0; at < end; at += SimContent.CHUNK_BYTES) {
            long length = Math.min(SimContent.CHUNK_BYTES, end - at);
            MemorySegment shown = memory.asSlice(at, length);
            if (shown.mismatch(MemorySegment.ofArray(current.chunk(at)).asSlice(0, length)) >= 0) {
                noticeSectors(at, shown.toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    private void noticeSectors(long chunkAt, byte[] now) {
        byte[] before = current.chunk(chunkAt).clone();
        for (int from = 0; from < now.length; from += SECTOR_BYTES) {
            int to = Math.min(from + SECTOR_BYTES, now.length);
            if (!Arrays.equals(now, from, to, before, from, to)) {
                change(chunkAt + from, Arrays.copyOfRange(now, from, to), true);
            }
        }
    }

    void sync() {
        notice();
        for (Pending change : pending) {
            switch (change) {
                case Write write -> settle(write.position(), write.end());
                case Cut cut -> durable.resize(Math.min(cut.size(), durable.size()));
            }
        }
        pending.clear();
    }

    /** Makes the sectors of a range durable, and leaves the others pending. */
    void sync(long from, long to) {
        notice();
        if (pending.stream().anyMatch(Cut.class::isInstance)) {
            sync();
            return;
        }
        long first = from / SECTOR_BYTES * SECTOR_BYTES;
        long end = (to + SECTOR_BYTES - 1) / SECTOR_BYTES * SECTOR_BYTES;
        List<Pending> rest = new ArrayList<>();
        for (Pending change : pending) {
            if (change instanceof Write write) {
                addPart(rest, write, write.position(), Math.min(write.end(), first));
                addPart(rest, write, Math.max(write.position(), end), write.end());
                if (write.position() < end && write.end() > first) {
                    settle(Math.max(write.position(), first), Math.min(write.end(), end));
                }
            }
        }
        pending.clear();
        pending.addAll(rest);
    }

    private static void addPart(List<Pending> to, Write write, long from, long end) {
        if (from < end) {
            int start = (int) (from - write.position());
            byte[] part = Arrays.copyOfRange(write.bytes(), start, start + (int) (end - from));
            to.add(new Write(write.order(), from, part, write.mapped()));
        }
    }

    private void settle(long position, long end) {
        long until = Math.min(end, current.size());
        if (durable.size() < until) {
            durable.resize(until);
        }
        copySectors(durable, current, position, until);
    }

    private static void copySectors(SimContent to, SimContent from, long position, long end) {
        long first = position / SECTOR_BYTES * SECTOR_BYTES;
        long last = (end + SECTOR_BYTES - 1) / SECTOR_BYTES * SECTOR_BYTES;
        to.copyRange(from, first, Math.min(last, to.size()));
    }

    /** A sync failed. */
    void lose(SyncLoss loss) {
        notice();
        pending.clear();
        if (loss == SyncLoss.REVERT) {
            storage.used(durable.size() - current.size());
            current = durable.copy();
            MemorySegment memory = mapped;
            if (memory != null) {
                memory.fill((byte) 0);
                byte[] bytes = current.toArray();
                show(0, bytes);
            }
        }
    }

    void map(MemorySegment memory) {
        if (mapped == null) {
            mapped = memory;
            show(0, current.toArray());
        } else if (!mapped.equals(memory)) {
            throw new UnsupportedOperationException("all mappings of a simulated file have the same memory");
        }
        mappings++;
    }

    void unmap() {
        notice();
        mappings--;
        if (mappings == 0) {
            mapped = null;
        }
    }

    /** Counts a name or an open handle. */
    void refer() {
        references++;
    }

    /** Forgets a name or an open handle; without any the room is free again. */
    void unrefer() {
        references--;
        if (references == 0) {
            storage.used(-current.size());
        }
    }

    /** The same file in a storage that a kill of the process left. */
    SimInode copyTo(SimStorage other) {
        notice();
        SimInode copy = new SimInode(other, current.copy(), durable.copy());
        copy.pending.addAll(pending);
        return copy;
    }

    /** Begins the file as a crash leaves it. */
    Image image(SimStorage other) {
        return new Image(other, durable.copy(), durable.copy());
    }

    /** A file as a crash leaves it, while the pending changes are decided one after the other. */
    static final class Image {

        private final SimStorage storage;
        private final SimContent shown;
        private final SimContent left;

        private Image(SimStorage storage, SimContent shown, SimContent left) {
            this.storage = storage;
            this.shown = shown;
            this.left = left;
        }

        void decide(Pending change, int index, CrashChoice.Picker picker) {
            boolean kept = picker.keeps(index);
            switch (change) {
                case Cut cut -> {
                    shown.resize(Math.min(cut.size(), shown.size()));
                    if (kept) {
                        left.resize(Math.min(cut.size(), left.size()));
                    }
                }
                case Write write -> decide(write, index, picker);
            }
        }

        private void decide(Write write, int index, CrashChoice.Picker picker) {
            SimContent before = write.mapped() ? shown.copy() : shown; // only a mapping is torn
            shown.write(write.position(), write.bytes(), 0, write.bytes().length);
            long first = write.position() / SECTOR_BYTES * SECTOR_BYTES;
            int n = 0;
            long kept = first; // the sectors from here to the next one that is not kept are copied at once
            for (long sector = first; sector < write.end(); sector += SECTOR_BYTES) {
                long end = Math.min(sector + SECTOR_BYTES, shown.size());
                CrashChoice.Fate fate = picker.sector(index, n++, write.mapped());
                if (fate != CrashChoice.Fate.KEPT) {
                    left.copyRange(shown, kept, sector);
                    kept = sector + SECTOR_BYTES;
                }
                switch (fate) {
                    case KEPT, DROPPED -> {}
                    case TORN -> {
                        long cut = sector + 8L * picker.number(SECTOR_BYTES / 8);
                        left.copyRange(before, sector, end);
                        left.copyRange(shown, sector, Math.min(cut, end));
                    }
                    case GARBAGE -> {
                        byte[] garbage = new byte[(int) (end - sector)];
                        picker.fill(garbage);
                        left.write(sector, garbage, 0, garbage.length);
                    }
                }
            }
            left.copyRange(shown, kept, (write.end() + SECTOR_BYTES - 1) / SECTOR_BYTES * SECTOR_BYTES);
            if (picker.keepsLength() && left.size() < write.end()) {
                left.resize(write.end());
            }
        }

        SimInode inode() {
            return new SimInode(storage, left, left.copy());
        }
    }
}

package io.kvstore.io;

import io.kvstore.error.StoreLockedException;
import io.kvstore.io.offheap.OffHeapFile;
import io.kvstore.io.offheap.OffHeapLimit;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Files in memory outside the heap. Nothing survives the process, and a sync does nothing. Names and handles are on the heap.
 *
 * <p>All files together take at most the limit. A write beyond it is refused with {@link NoSpaceException}, whole, and changes
 * nothing. So a full memory is what a full disk is: callers go on as soon as something was deleted. A mapping is the file's own
 * memory. If that is not in one piece yet, it is copied once, and the room for the copy counts until the old pieces are gone:
 * see {@link OffHeapFile}.
 *
 * <p>A file that was deleted or replaced lives until its last handle and its last mapping are closed. Then its memory goes back
 * to the process at once, without waiting for a garbage collection.
 *
 * <p>Safe for use by any number of threads. The names and locks are guarded by this object's monitor, which is never held
 * during a transfer of bytes. A file has a lock of its own, taken without the monitor.
 */
public final class MemoryStorage implements Storage, AutoCloseable {

    private static final Node DIRECTORY = new Node(null);
    private static final int EXCLUSIVE = -1;

    private final OffHeapLimit limit;
    private final NavigableMap<String, Node> nodes = new TreeMap<>();
    private final Map<String, Integer> locks = new HashMap<>();
    private final AtomicInteger openResources = new AtomicInteger();
    private boolean closed;

    /** @param file null for a directory */
    private record Node(@Nullable OffHeapFile file) {}

    /** An empty storage. It takes no memory yet. */
    public MemoryStorage(long limitBytes) {
        this.limit = new OffHeapLimit(limitBytes);
        nodes.put("", DIRECTORY);
    }

    /** The most bytes that all files take together. */
    public long limitBytes() {
        return limit.mostBytes();
    }

    /** The bytes that all files take now, deleted ones that are still open among them. */
    public long usedBytes() {
        return limit.usedBytes();
    }

    @Override
    public synchronized StorageFile create(String path) throws IOException {
        OffHeapFile file = new OffHeapFile(limit);
        Handle handle = new Handle(path, file, true);
        add(path, new Node(file));
        return handle.begin();
    }

    @Override
    public synchronized StorageFile open(String path) throws IOException {
        return new Handle(path, file(path), true).begin();
    }

    @Override
    public StorageFile openReadOnly(String path) throws IOException {
        return reader(path);
    }

    private synchronized Handle reader(String path) throws IOException {
        return new Handle(path, file(path), false).begin();
    }

    /**
     * The end of a resource, once however often it is run. A resource is counted when all its objects are there: when the heap
     * is full, nothing is counted that nobody can end.
     */
    private Runnable once(Runnable end) {
        AtomicBoolean ended = new AtomicBoolean();
        return () -> {
            if (ended.compareAndSet(false, true)) {
                openResources.decrementAndGet();
                end.run();
            }
        };
    }

    private void add(String path, Node node) throws IOException {
        if (closed) {
            throw new IOException(path + " cannot be made: the storage in memory is closed");
        }
        if (find(path) != null) {
            throw new FileAlreadyExistsException(path);
        }
        requireParent(path);
        nodes.put(path, node);
    }

    private void requireParent(String path) throws IOException {
        String parent = path.substring(0, Math.max(path.lastIndexOf('/'), 0));
        Node node = find(parent);
        if (node == null) {
            throw new NoSuchFileException(path, null, "there is no directory \"" + parent + "\"");
        }
        if (node.file() != null) {
            throw new NotDirectoryException(parent);
        }
    }

    private @Nullable Node find(String path) {
        return nodes.get(path.isEmpty() ? path : RealStorage.requireBelow(path));
    }

    private OffHeapFile file(String path) throws IOException {
        Node node = find(path);
        if (node == null) {
            throw new NoSuchFileException(path);
        }
        OffHeapFile file = node.file();
        if (file == null) {
            throw new IOException(path + " is a directory");
        }
        return file;
    }

    @Override
    public WritableMapping map(String path, long bytes) throws IOException {
        return mapping(path, bytes, true);
    }

    @Override
    public ReadMapping mapReadOnly(String path, long bytes) throws IOException {
        return mapping(path, bytes, false);
    }

    private Mapping mapping(String path, long bytes, boolean writable) throws IOException {
        try (Handle handle = reader(path)) {
            OffHeapFile.Piece piece = handle.file.map(path, bytes, writable);
            if (piece == null) {
                throw full(path, bytes);
            }
            Mapping mapping = null;
            try {
                mapping = new Mapping(piece.memory(), once(piece::close));
                openResources.incrementAndGet();
            } finally {
                if (mapping == null) {
                    piece.close();
                }
            }
            return mapping;
        }
    }

    private NoSpaceException full(String path, long bytes) {
        long used = limit.usedBytes();
        return new NoSpaceException(
                path + ": no room for " + bytes + " bytes in memory: the files take " + used + " of "
                        + limit.mostBytes() + " bytes"
                        + (bytes <= limit.mostBytes() - used ? ", and the machine gave no more" : ""));
    }

    @Override
    public synchronized boolean exists(String path) {
        return find(path) != null;
    }

    @Override
    public synchronized List<String> list(String directory) {
        if (!DIRECTORY.equals(find(directory))) {
            return List.of();
        }
        String prefix = directory.isEmpty() ? "" : directory + "/";
        List<String> names = new ArrayList<>();
        for (String path : nodes.tailMap(prefix, false).keySet()) {
            if (!path.startsWith(prefix)) {
                break;
            }
            if (path.indexOf('/', prefix.length()) < 0) {
                names.add(path.substring(prefix.length()));
            }
        }
        return names;
    }

    @Override
    public synchronized void createDirectory(String path) throws IOException {
        if (!DIRECTORY.equals(find(path))) {
            add(path, DIRECTORY);
        }
    }

    @Override
    public void delete(String path) throws IOException {
        unname(removeName(path));
    }

    private synchronized @Nullable Node removeName(String path) throws IOException {
        Node node = find(path);
        if (DIRECTORY.equals(node) && (path.isEmpty() || !list(path).isEmpty())) {
            throw new DirectoryNotEmptyException(path);
        }
        return nodes.remove(path);
    }

    /** A file has no name any more. Called without the monitor, because it may have to wait for readers. */
    private static void unname(@Nullable Node node) {
        OffHeapFile file = node == null ? null : node.file();
        if (file != null) {
            file.letGo(false);
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        unname(replaceName(from, to));
    }

    /** Renames a file, and returns the one that had the new name before. */
    private synchronized @Nullable Node replaceName(String from, String to) throws IOException {
        OffHeapFile file = file(from);
        if (DIRECTORY.equals(find(to))) {
            throw new FileAlreadyExistsException(to, null, "it is a directory");
        }
        requireParent(to);
        if (from.equals(to)) {
            return null;
        }
        Node replaced = nodes.put(to, new Node(file));
        nodes.remove(from);
        return replaced;
    }

    @Override
    public synchronized void syncDirectory(String directory) throws IOException {
        if (!DIRECTORY.equals(find(directory))) {
            throw new NoSuchFileException(directory);
        }
    }

    @Override
    public boolean isVolatile() {
        return true;
    }

    @Override
    public long freeBytes() {
        return Math.max(0, limit.mostBytes() - limit.usedBytes());
    }

    @Override
    public StorageLock lock(String path) throws IOException {
        return lock(path, EXCLUSIVE);
    }

    @Override
    public StorageLock lockShared(String path) throws IOException {
        return lock(path, 1);
    }

    private synchronized StorageLock lock(String path, int kind) throws IOException {
        int held = locks.getOrDefault(path, 0);
        if (held == EXCLUSIVE || (held > 0 && kind == EXCLUSIVE)) {
            throw new StoreLockedException(
                    ProcessHandle.current().pid(),
                    path + " of the storage in memory is in use; close the store there, or take another storage");
        }
        if (kind == EXCLUSIVE && find(path) == null) {
            add(path, new Node(new OffHeapFile(limit)));
        }
        StorageLock lock = once(() -> unlock(path, kind))::run;
        locks.merge(path, kind, Integer::sum);
        openResources.incrementAndGet();
        return lock;
    }

    private synchronized void unlock(String path, int kind) {
        locks.computeIfPresent(path, (any, held) -> held == kind ? null : held - kind);
    }

    @Override
    public int openResources() {
        return openResources.get();
    }

    /** Deletes every file. Files that are still open live until they are closed. Nothing can be made any more. */
    @Override
    public void close() {
        IllegalStateException first = null;
        for (Node node : removeAllNames()) {
            try {
                unname(node);
            } catch (IllegalStateException e) {
                first = e; // a buffer that code of the user kept is being transferred; all other files go
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private synchronized List<Node> removeAllNames() {
        closed = true;
        List<Node> all = List.copyOf(nodes.values());
        nodes.clear();
        nodes.put("", DIRECTORY);
        return all;
    }

    @Override
    public String toString() {
        return "memory";
    }

    private final class Handle implements StorageFile {

        private final String path;
        private final OffHeapFile file;
        private final boolean writable;
        private final Runnable end;
        private volatile boolean ended;

        /** A handle that holds nothing before {@link #begin}. */
        private Handle(String path, OffHeapFile file, boolean writable) {
            this.path = path;
            this.file = file;
            this.writable = writable;
            this.end = once(() -> file.letGo(writable));
        }

        private Handle begin() {
            file.hold(writable);
            openResources.incrementAndGet();
            return this;
        }

        private OffHeapFile file() throws IOException {
            if (ended) {
                throw new IOException(path + " is closed");
            }
            return file;
        }

        private OffHeapFile writableFile() throws IOException {
            if (!writable) {
                throw new IOException(path + " is open for reading only");
            }
            return file();
        }

        @Override
        public String path() {
            return path;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return file().read(target, position);
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            if (!writableFile().write(source, position)) {
                throw full(path, source.remaining());
            }
        }

        @Override
        public long size() throws IOException {
            return file().size();
        }

        @Override
        public void truncate(long size) throws IOException {
            writableFile().truncate(size);
        }

        @Override
        public void sync() throws IOException {
            file();
        }

        @Override
        public void close() {
            ended = true;
            end.run();
        }
    }

    private record Mapping(MemorySegment memory, Runnable end) implements ReadMapping, WritableMapping {

        @Override
        public void force(long offset, long bytes) {
            // nothing outlives the process, so there is nothing to wait for
        }

        @Override
        public void close() {
            end.run();
        }
    }
}

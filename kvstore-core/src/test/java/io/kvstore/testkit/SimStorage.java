package io.kvstore.testkit;

import io.kvstore.error.StoreLockedException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.ReadMapping;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.io.StorageLock;
import io.kvstore.io.WritableMapping;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file system in memory that forgets at a power loss whatever {@link Storage} does not promise: of every file the changes
 * since its last sync, by sectors of 512 bytes, of every directory the entries changed since its last sync, of every
 * mapping the bytes changed since its last force.
 *
 * <p>{@link #crash} and {@link #kill} give new storages and leave this one as it is, so one moment can be crashed in many
 * ways. Use {@link #powerOff} for a storage whose users are abandoned without being closed.
 */
public final class SimStorage implements Storage {

    private final SimDirectory root;
    private final SimEntries changes;
    private final Set<String> locks = new HashSet<>();
    private final Set<SimMapping> mappings = new LinkedHashSet<>();
    private final Set<SimReadMapping> readMappings = new LinkedHashSet<>();
    private Runnable observer = () -> {};
    private long capacity = Long.MAX_VALUE / 2;
    private long used;
    private long order;
    private long operations;
    private int openResources;
    private boolean off;

    /** An empty disk. */
    public SimStorage() {
        this(new SimDirectory(), new SimEntries(), 0);
    }

    SimStorage(SimDirectory root, SimEntries changes, long order) {
        this.root = root;
        this.changes = changes;
        this.order = order;
    }

    /** The disk after a power loss at this moment. */
    public synchronized SimStorage crash(CrashChoice choice) {
        mappings.forEach(mapping -> mapping.inode().notice());
        return new SimCrash(this, choice).result();
    }

    /** The system after this process was killed: everything that was written is there, but durable is only what was. */
    public synchronized SimStorage kill() {
        mappings.forEach(mapping -> mapping.inode().notice());
        return new SimKill(this).result();
    }

    /** How many operations a power loss at this moment may undo: writes, cuts and directory changes. */
    public synchronized int pendingOperations() {
        mappings.forEach(mapping -> mapping.inode().notice());
        return SimCrash.pending(this).size();
    }

    /** The number of operations so far that change something, syncs among them. */
    public synchronized long operations() {
        return operations;
    }

    /** Has the observer run before each operation that changes something; it may crash or kill this storage. */
    public synchronized void observe(Runnable newObserver) {
        observer = newObserver;
    }

    /** Lets files hold so many bytes in all. */
    public synchronized void setCapacity(long bytes) {
        capacity = bytes;
    }

    /** Ends all use: every further operation fails and mappings are gone, so threads that use them must have ended. */
    public synchronized void powerOff() {
        off = true;
        List.copyOf(mappings).forEach(SimMapping::discard);
    }

    /** All bytes of a file, as the system shows them. */
    public synchronized byte[] bytes(String path) throws IOException {
        SimInode inode = inode(path);
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(inode.size()));
        inode.read(all, 0);
        return all.array();
    }

    /** Makes a file hold exactly these bytes, durable at once and in its mappings too: damage done by hand. */
    public synchronized void replace(String path, byte[] bytes) throws IOException {
        inode(path).replace(bytes);
        readMappings.forEach(mapping -> mapping.replaced(path, bytes));
    }

    /** The paths of all files, sorted by directory. */
    public synchronized List<String> files() {
        List<String> paths = new ArrayList<>();
        collect("", root, paths);
        return paths;
    }

    private static void collect(String prefix, SimDirectory directory, List<String> paths) {
        directory.entries.forEach((name, node) -> {
            switch (node) {
                case SimInode inode -> paths.add(prefix + name);
                case SimDirectory below -> collect(prefix + name + "/", below, paths);
            }
        });
    }

    @Override
    public synchronized StorageFile create(String path) throws IOException {
        begin();
        SimEntries.Place place = place(path);
        if (place.directory().entries.containsKey(place.name())) {
            throw new FileAlreadyExistsException(path);
        }
        if (freeBytes() <= 0) {
            throw new NoSpaceException("the simulated disk is full");
        }
        SimInode inode = new SimInode(this);
        inode.refer();
        changes.change(nextOrder(), null, place, inode);
        return new SimFile(this, path, inode, true);
    }

    @Override
    public synchronized StorageFile open(String path) throws IOException {
        checkOn();
        return new SimFile(this, path, inode(path), true);
    }

    @Override
    public synchronized StorageFile openReadOnly(String path) throws IOException {
        checkOn();
        return new SimFile(this, path, inode(path), false);
    }

    @Override
    public synchronized WritableMapping map(String path, long bytes) throws IOException {
        begin();
        SimInode inode = inode(path);
        if (inode.size() < bytes) {
            throw new EOFException(path + " has " + inode.size() + " bytes; wanted to map " + bytes);
        }
        return new SimMapping(this, inode, bytes);
    }

    @Override
    public synchronized ReadMapping mapReadOnly(String path, long bytes) throws IOException {
        byte[] content = new byte[Math.toIntExact(bytes)];
        try (StorageFile file = openReadOnly(path)) {
            file.readFully(ByteBuffer.wrap(content), 0);
        }
        return new SimReadMapping(this, path, content);
    }

    @Override
    public synchronized boolean exists(String path) throws IOException {
        checkOn();
        return find(path) != null;
    }

    @Override
    public synchronized List<String> list(String directory) throws IOException {
        checkOn();
        return find(directory) instanceof SimDirectory found ? List.copyOf(found.entries.keySet()) : List.of();
    }

    @Override
    public synchronized void createDirectory(String path) throws IOException {
        if (find(path) instanceof SimDirectory) {
            return;
        }
        begin();
        SimEntries.Place place = place(path);
        if (place.directory().entries.containsKey(place.name())) {
            throw new FileAlreadyExistsException(path);
        }
        changes.change(nextOrder(), null, place, new SimDirectory());
    }

    @Override
    public synchronized void delete(String path) throws IOException {
        begin();
        SimNode node = find(path);
        if (node == null) {
            return;
        }
        if (node instanceof SimDirectory directory && !directory.entries.isEmpty()) {
            throw new DirectoryNotEmptyException(path);
        }
        changes.change(nextOrder(), place(path), null, node);
        if (node instanceof SimInode inode) {
            inode.unrefer();
        }
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
        begin();
        SimNode node = find(from);
        if (node == null) {
            throw new NoSuchFileException(from);
        }
        SimNode replaced = find(to);
        boolean mayBeReplaced = replaced == null
                || (node instanceof SimInode && replaced instanceof SimInode)
                || (node instanceof SimDirectory && replaced instanceof SimDirectory empty && empty.entries.isEmpty());
        if (!mayBeReplaced) {
            throw new FileAlreadyExistsException(to);
        }
        if (replaced != node) {
            changes.change(nextOrder(), place(from), place(to), node);
            if (replaced instanceof SimInode inode) {
                inode.unrefer();
            }
        }
    }

    @Override
    public synchronized void syncDirectory(String directory) throws IOException {
        begin();
        if (!(find(directory) instanceof SimDirectory found)) {
            throw new NoSuchFileException(directory);
        }
        changes.sync(found);
    }

    @Override
    public synchronized long freeBytes() throws IOException {
        checkOn();
        return Math.max(0, capacity - used);
    }

    @Override
    public synchronized StorageLock lock(String path) throws IOException {
        begin();
        if (locks.contains(path)) {
            throw new StoreLockedException(ProcessHandle.current().pid(), path + " is locked by this process");
        }
        if (find(path) == null) {
            create(path).close();
        }
        locks.add(path);
        opened();
        return new SimLock(this, path);
    }

    @Override
    public synchronized int openResources() {
        return openResources;
    }

    SimDirectory root() {
        return root;
    }

    SimEntries changes() {
        return changes;
    }

    long order() {
        return order;
    }

    /** The place of the next change among all changes. */
    long nextOrder() {
        return order++;
    }

    /** Counts bytes that files take or, if negative, give back. */
    void used(long bytes) {
        used += bytes;
    }

    /** How long a file is. */
    public synchronized long sizeOf(String path) throws IOException {
        return inode(path).size();
    }

    /** How long a file may become that has {@code size} bytes now. */
    long roomAfter(long size) {
        return Math.max(capacity - used, 0) + size;
    }

    /** Called first by every operation that changes something. */
    void begin() throws IOException {
        checkOn();
        operations++;
        observer.run();
    }

    void checkOn() throws IOException {
        if (off) {
            throw new IOException("the simulated machine is off");
        }
    }

    void opened() {
        openResources++;
    }

    void closed() {
        openResources--;
    }

    void opened(SimReadMapping mapping) {
        readMappings.add(mapping);
        opened();
    }

    void closed(SimReadMapping mapping) {
        readMappings.remove(mapping);
        closed();
    }

    Set<SimMapping> mappings() {
        return mappings;
    }

    void unlock(String path) {
        locks.remove(path);
    }

    private SimInode inode(String path) throws IOException {
        SimNode node = find(path);
        if (node instanceof SimInode inode) {
            return inode;
        }
        throw node == null ? new NoSuchFileException(path) : new IOException(path + " is a directory");
    }

    private @Nullable SimNode find(String path) {
        if (path.isEmpty()) {
            return root;
        }
        SimNode node = root;
        for (String part : parts(path)) {
            node = node instanceof SimDirectory directory ? directory.entries.get(part) : null;
            if (node == null) {
                return null;
            }
        }
        return node;
    }

    private SimEntries.Place place(String path) throws IOException {
        int slash = path.lastIndexOf('/');
        SimNode parent = find(path.substring(0, Math.max(slash, 0)));
        if (parent instanceof SimDirectory directory) {
            parts(path);
            return new SimEntries.Place(directory, path.substring(slash + 1));
        }
        throw parent == null ? new NoSuchFileException(path) : new NotDirectoryException(path);
    }

    private static String[] parts(String path) {
        String[] parts = path.split("/", -1);
        for (String part : parts) {
            if (part.isEmpty() || part.equals(".") || part.equals("..")) {
                throw new IllegalArgumentException("\"" + path + "\" is not a path below the store's directory");
            }
        }
        return parts;
    }
}

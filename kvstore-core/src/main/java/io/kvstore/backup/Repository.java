package io.kvstore.backup;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.NotFoundException;
import io.kvstore.error.StorageException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.NumberedName;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageLock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A directory with the backups of one store.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A backup counts when its manifest has its name. By then all packs that it names are durable, with their names.
 *   <li>A pack never changes. It is deleted when no manifest names it, and only while every manifest can be read.
 *   <li>One process at a time changes the repository, under its lock. Readers share the lock.
 * </ol>
 */
public final class Repository implements AutoCloseable {

    static final FileHeader HEADER = new FileHeader("KVBACKRP", "repository of backups", 1);
    static final String FILE = "REPOSITORY";
    static final String LOCK = "LOCK";
    static final String BACKUPS = "backups";

    /** Files that are read once more before they are a part of a backup. */
    static final String WORK = "work";

    static final NumberedName NAME = new NumberedName(10, ".backup");

    private static final int FILE_BYTES = FileHeader.BYTES + 2 * Long.BYTES + Integer.BYTES;
    private static final Set<String> MADE_FIRST =
            Set.of(LOCK, BACKUPS, Pack.DIRECTORY, WORK, FILE + AtomicFile.TEMPORARY);

    private final Storage storage;
    private final StorageLock lock;

    private Repository(Storage storage, StorageLock lock) {
        this.storage = storage;
        this.lock = lock;
    }

    /** Opens a repository to read from it. Writes nothing. */
    public static Repository openForReading(Storage storage) throws IOException {
        return open(storage, storage.lockShared(LOCK), false, null);
    }

    /** Opens a repository to look at its manifests, which may come and go meanwhile. Takes no lock, and writes nothing. */
    public static Repository openForListing(Storage storage) throws IOException {
        return open(storage, () -> {}, false, null);
    }

    /** Opens a repository that exists, to change it. */
    public static Repository open(Storage storage) throws IOException {
        requireFile(storage);
        return open(storage, storage.lock(LOCK), true, null);
    }

    /** Opens the repository of a store, which is made if the directory is empty. */
    static Repository openFor(Storage storage, StoreIdentity store) throws IOException {
        requireEmptyOrOwn(storage);
        return open(storage, storage.lock(LOCK), true, store);
    }

    /** The identity of a store, which all copies of it have. */
    record StoreIdentity(long high, long low) {}

    private static Repository open(Storage storage, StorageLock lock, boolean writes, @Nullable StoreIdentity makeFor)
            throws IOException {
        Repository opened = new Repository(storage, lock);
        boolean complete = false;
        try {
            if (makeFor != null && !storage.exists(FILE)) {
                opened.make(makeFor);
            }
            opened.requireStore(makeFor);
            if (writes) {
                opened.sweep();
            }
            complete = true;
            return opened;
        } finally {
            if (!complete) {
                lock.close();
            }
        }
    }

    private static void requireFile(Storage storage) throws IOException {
        if (!storage.exists(FILE)) {
            throw new InvalidRequestException(storage + " is no repository of backups: it has no file " + FILE
                    + "; give the directory of a backup");
        }
    }

    /**
     * Refuses a directory that has other things than backups. Makes nothing, and takes no lock.
     *
     * @throws InvalidRequestException if the directory is not empty and no repository
     */
    public static void requireEmptyOrOwn(Storage storage) throws IOException {
        List<String> names = new ArrayList<>(storage.list(""));
        if (!names.contains(FILE)) {
            names.removeAll(MADE_FIRST);
            if (!names.isEmpty()) {
                throw new InvalidRequestException(storage + " is not empty and no repository of backups: it has "
                        + names.getFirst() + "; give an empty or a new directory");
            }
        }
    }

    private void make(StoreIdentity store) throws IOException {
        storage.createDirectory(BACKUPS);
        storage.createDirectory(Pack.DIRECTORY);
        storage.syncDirectory("");
        ByteWriter out = new ByteWriter(FILE_BYTES);
        HEADER.write(out, 0);
        out.u64(store.high()).u64(store.low()).checksumFrom(0);
        AtomicFile.write(storage, FILE, out.toBuffer());
    }

    private void requireStore(@Nullable StoreIdentity expected) throws IOException {
        requireFile(storage);
        StoreIdentity found = readFile();
        if (expected != null && !found.equals(expected)) {
            throw new InvalidRequestException(storage + " has backups of another store; give another directory");
        }
    }

    private StoreIdentity readFile() throws IOException {
        byte[] bytes = AtomicFile.read(storage, FILE, FILE_BYTES);
        ByteReader in = new ByteReader(FILE, bytes == null ? new byte[0] : bytes);
        int flags = HEADER.read(in, FILE).flags();
        StoreIdentity found = new StoreIdentity(in.u64(), in.u64());
        in.checksumFrom(0);
        in.end();
        if (flags != 0) {
            throw new CorruptionException(FILE, 0, "flags " + flags + " are not known");
        }
        return found;
    }

    Storage storage() {
        return storage;
    }

    static String path(long id) {
        return BACKUPS + "/" + NAME.of(id);
    }

    /** The ids of all backups, oldest first, those with a damaged manifest too. */
    public List<Long> ids() throws IOException {
        List<Long> ids = new ArrayList<>();
        for (String name : storage.list(BACKUPS)) {
            long id = NAME.numberIn(name);
            if (id >= 0) {
                ids.add(id);
            }
        }
        ids.sort(null);
        return ids;
    }

    /**
     * A backup.
     *
     * @throws NotFoundException if there is none with that id
     * @throws CorruptionException if its manifest is damaged
     */
    public Backup backup(long id) throws IOException {
        String path = path(id);
        byte[] bytes = AtomicFile.read(storage, path, Backup.MAX_BYTES);
        if (bytes == null) {
            throw new NotFoundException("the repository has no backup " + id + "; it has " + ids());
        }
        Backup backup = Backup.read(path, bytes);
        StoreIdentity store = readFile();
        if (backup.id() != id || backup.storeIdHigh() != store.high() || backup.storeIdLow() != store.low()) {
            throw new CorruptionException(path, -1, "this is backup " + backup.id() + " of another repository");
        }
        return backup;
    }

    /** The newest backup, or null if there is none or its manifest is damaged. */
    @Nullable
    Backup newest() throws IOException {
        List<Long> ids = ids();
        try {
            return ids.isEmpty() ? null : backup(ids.getLast());
        } catch (CorruptionException | StorageException e) {
            return null; // the next backup rests on nothing that is there
        }
    }

    long lastPack() throws IOException {
        long last = 0;
        for (String name : storage.list(Pack.DIRECTORY)) {
            last = Math.max(last, Pack.NAME.numberIn(name));
        }
        return last;
    }

    /**
     * Deletes backups, and the packs that no other one names.
     *
     * @throws NotFoundException if there is no backup of one of these ids; then none is deleted
     */
    public void delete(List<Long> ids) throws IOException {
        List<Long> present = ids();
        for (long id : ids) {
            if (!present.contains(id)) {
                throw new NotFoundException("the repository has no backup " + id + "; it has " + present);
            }
        }
        for (long id : ids) {
            storage.delete(path(id));
        }
        storage.syncDirectory(BACKUPS); // before packs go that only these backups name
        sweep();
    }

    /** Deletes what a backup left that failed or was killed, unless a manifest is damaged: nobody knows what that names. */
    private void sweep() throws IOException {
        storage.deleteTree(WORK);
        Set<Long> named = new HashSet<>();
        for (long id : ids()) {
            try {
                named.addAll(backup(id).packs().keySet());
            } catch (CorruptionException | StorageException e) {
                return;
            }
        }
        for (String name : storage.list(Pack.DIRECTORY)) {
            long number = Pack.NAME.numberIn(name);
            if (number >= 0 && !named.contains(number)) {
                storage.delete(Pack.path(number));
            }
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}

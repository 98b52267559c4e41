package io.kvstore.backup;

import io.kvstore.data.Pause;
import io.kvstore.durability.StoreHold;
import io.kvstore.engine.HeldFile;
import io.kvstore.engine.Progress;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.Storage;
import io.kvstore.wal.LogHold;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes one backup. Reads all bytes of the store, and writes the parts that the newest backup before does not have.
 *
 * <p>Invariant: the manifest gets its name when the packs that it names are durable. A failure before that deletes the new
 * packs; a kill leaves them to the next backup.
 */
public final class BackupJob {

    /** A pack of which less than this part is needed is not used again, so that it can go with the older backups. */
    private static final int SPARSE_PART = 2;

    private final StoreHold hold;
    private final Repository repository;
    private final Storage storage;
    private final Progress progress;
    private final Map<PartHash, StoredFile.Part> known = new HashMap<>();
    private final HashedPieces pieces;
    private final Rests rests;
    private long doneBytes;
    private long allBytes;

    private BackupJob(StoreHold hold, Repository repository, Progress progress) {
        this.hold = hold;
        this.repository = repository;
        this.storage = repository.storage();
        this.progress = progress;
        this.pieces = new HashedPieces(hold.workers());
        this.rests = new Rests(hold.clock(), hold.newestLsn());
    }

    /**
     * Makes a backup of what is held. Returns null if the progress says that it is to stop; then nothing of it is left.
     *
     * @param target the directory of the repository; it is made one if it is empty
     */
    public static @Nullable Backup run(StoreHold hold, Storage target, Progress progress) throws IOException {
        Repository.StoreIdentity store = new Repository.StoreIdentity(hold.storeIdHigh(), hold.storeIdLow());
        try (Repository repository = Repository.openFor(target, store)) {
            return new BackupJob(hold, repository, progress).run();
        }
    }

    private @Nullable Backup run() throws IOException {
        try {
            storage.createDirectory(Repository.WORK);
            return run(hold.copyLog(storage, Repository.WORK));
        } finally {
            storage.deleteTree(Repository.WORK);
        }
    }

    private @Nullable Backup run(HeldFile catalog) throws IOException {
        Backup before = repository.newest();
        long id = repository.ids().isEmpty() ? 1 : repository.ids().getLast() + 1;
        if (before != null) {
            know(before);
        }
        try (PackWriter packs = new PackWriter(storage, repository.lastPack(), hold.workers())) {
            List<StoredFile> files = store(packs, sources(catalog));
            if (files == null) {
                return null;
            }
            Backup made = backup(id, files, packs.finish(), before);
            hold.close(); // nothing of the store is needed any more
            try (AtomicFile.Staged staged = AtomicFile.stage(storage, Repository.path(id), made.toBuffer())) {
                packs.keep();
                staged.publish();
            }
            return made;
        }
    }

    /** A file of the store, and its bytes. */
    private record Source(String path, HeldFile file, boolean isOfStore) {}

    private List<Source> sources(HeldFile catalog) throws IOException {
        List<Source> sources = new ArrayList<>();
        hold.tableFiles().forEach(file -> sources.add(new Source(file.path(), file.held(), true)));
        for (String name : storage.list(Repository.WORK)) {
            String path = Repository.WORK + "/" + name;
            HeldFile log = HeldFile.of(storage, path, storage.size(path), false, HeldFile.Checker.NONE);
            sources.add(new Source(LogHold.DIRECTORY + "/" + name, log, false));
        }
        sources.add(new Source(catalog.name(), catalog, false));
        return sources;
    }

    /** Lets parts of the newest backup be used again, unless they are in packs that are mostly of no use. */
    private void know(Backup before) throws IOException {
        for (Map.Entry<Long, Long> pack : before.packs().entrySet()) {
            String path = Pack.path(pack.getKey());
            if (!storage.exists(path) || storage.size(path) != pack.getValue()) {
                return; // the backup is damaged, and nothing of it is used
            }
        }
        Map<Long, Long> used = new HashMap<>();
        Map<PartHash, StoredFile.Part> parts = new HashMap<>();
        before.files().forEach(file -> file.parts().forEach(part -> parts.put(part.hash(), part)));
        parts.values().forEach(part -> used.merge(part.pack(), (long) part.bytes(), Long::sum));
        parts.forEach((hash, part) -> {
            long packBytes = before.packs().getOrDefault(part.pack(), Long.MAX_VALUE);
            if (used.getOrDefault(part.pack(), 0L) >= packBytes / SPARSE_PART) {
                known.put(hash, part);
            }
        });
    }

    /** Stores files, and lets each of them go. Null if it is to stop. */
    private @Nullable List<StoredFile> store(PackWriter packs, List<Source> sources) throws IOException {
        StoredFile[] stored = new StoredFile[sources.size()];
        BitSet left = new BitSet();
        left.set(0, stored.length);
        allBytes = sources.stream().mapToLong(source -> source.file().bytes()).sum();
        while (!left.isEmpty()) {
            int next = next(sources, left);
            Source source = sources.get(next);
            StoredFile file = store(packs, source);
            if (file == null) {
                return null;
            }
            if (source.isOfStore()) {
                hold.letGo(source.file());
            }
            stored[next] = file;
            left.clear(next);
        }
        return List.of(stored);
    }

    /**
     * The file to store next: one that the table needs no more, so that its space comes back soon, or else the first. A system
     * that lacks free pages for its cache, because files stay that were to go, slows all writers down.
     */
    private static int next(List<Source> sources, BitSet left) {
        return left.stream()
                .filter(each -> sources.get(each).file().lease().pinnedBytes() > 0)
                .findFirst()
                .orElse(left.nextSetBit(0));
    }

    private @Nullable StoredFile store(PackWriter packs, Source source) throws IOException {
        List<StoredFile.Part> parts = new ArrayList<>();
        HeldFile file = source.file();
        try (HeldFile.Reader reader = open(source)) {
            for (long at = 0; at < file.bytes(); ) {
                if (!progress.advanced(doneBytes, allBytes)) {
                    return null;
                }
                rest();
                if (pieces.isFull()) {
                    parts.add(nextPart(packs));
                }
                ByteBuffer piece = pieces.begin((int) Math.min(StoredFile.PART_BYTES, file.bytes() - at));
                at += piece.remaining();
                read(source, reader, piece);
                pieces.add();
            }
            reader.end();
        }
        while (!pieces.isEmpty()) {
            parts.add(nextPart(packs));
        }
        return new StoredFile(source.path(), file.bytes(), parts);
    }

    private void rest() {
        long nanos = rests.due(hold.newestLsn());
        if (nanos > 0) {
            Pause.nanos(nanos);
            rests.rested();
        }
    }

    private HeldFile.Reader open(Source source) throws IOException {
        return source.isOfStore()
                ? hold.reading(source.file().source()::open)
                : source.file().source().open();
    }

    private void read(Source source, HeldFile.Reader reader, ByteBuffer piece) throws IOException {
        if (source.isOfStore()) {
            hold.reading(() -> {
                reader.read(piece);
                return null;
            });
        } else {
            reader.read(piece);
        }
    }

    private StoredFile.Part nextPart(PackWriter packs) throws IOException {
        HashedPieces.Hashed piece = pieces.take();
        StoredFile.Part present = known.get(piece.hash());
        if (present == null || present.bytes() != piece.bytes().remaining()) {
            present = packs.add(piece.hash(), piece.bytes());
            known.put(piece.hash(), present);
        }
        doneBytes += present.bytes();
        pieces.done(piece);
        return present;
    }

    private Backup backup(long id, List<StoredFile> files, Map<Long, Long> written, @Nullable Backup before) {
        Map<Long, Long> packs = new TreeMap<>();
        for (StoredFile file : files) {
            for (StoredFile.Part part : file.parts()) {
                long bytes = written.containsKey(part.pack())
                        ? written.get(part.pack())
                        : before == null ? 0 : before.packs().getOrDefault(part.pack(), 0L);
                packs.put(part.pack(), bytes);
            }
        }
        return new Backup(
                id,
                hold.storeIdHigh(),
                hold.storeIdLow(),
                hold.lsn(),
                hold.wallMillis(),
                written.values().stream().mapToLong(Long::longValue).sum(),
                packs,
                hold.directories(),
                files);
    }
}

package io.kvstore.backup;

import io.kvstore.engine.Progress;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes the files of a backup to a directory, which is a store then. Each part is checked when it is read. */
public final class Restoration {

    /** Descriptors of packs that are open at a time. */
    private static final int MOST_READERS = 16;

    private final Repository repository;
    private final Backup backup;
    private final Storage target;
    private final Writer writer;
    private final Progress progress;
    private final Map<Long, Pack.Reader> readers = new HashMap<>();
    private final ByteBuffer piece = ByteBuffer.allocate(StoredFile.PART_BYTES);
    private long doneBytes;

    private Restoration(Repository repository, Backup backup, Storage target, Writer writer, Progress progress) {
        this.repository = repository;
        this.backup = backup;
        this.target = target;
        this.writer = writer;
        this.progress = progress;
    }

    /** A step that reads a part of the backup and writes it. */
    @FunctionalInterface
    public interface Step {
        void run() throws IOException;
    }

    /** Runs the steps, each of which is short. */
    @FunctionalInterface
    public interface Writer {
        void run(Step step) throws IOException;
    }

    /**
     * Writes the files of a backup, durable when this returns.
     *
     * @param target gets its name when the caller says so
     * @return false if the progress says that it is to stop
     */
    public static boolean run(Repository repository, Backup backup, NewDirectory target, Progress progress)
            throws IOException {
        return run(repository, backup, target.files(), Step::run, progress);
    }

    /** As {@link #run(Repository, Backup, NewDirectory, Progress)}, step by step, into a directory that exists. */
    public static boolean run(Repository repository, Backup backup, Storage target, Writer writer, Progress progress)
            throws IOException {
        return new Restoration(repository, backup, target, writer, progress).run();
    }

    private boolean run() throws IOException {
        try {
            for (String directory : backup.directories()) {
                target.createDirectory(directory);
            }
            for (StoredFile file : backup.files()) {
                if (!restore(file)) {
                    return false;
                }
            }
            for (String directory : backup.directories()) {
                target.syncDirectory(directory);
            }
            target.syncDirectory("");
            return true;
        } finally {
            closeReaders();
        }
    }

    private boolean restore(StoredFile file) throws IOException {
        try (StorageFile out = target.create(file.path())) {
            long at = 0;
            for (StoredFile.Part part : file.parts()) {
                if (!progress.advanced(doneBytes, backup.storeBytes())) {
                    return false;
                }
                long offset = at;
                writer.run(() -> {
                    read(part);
                    out.write(piece, offset);
                });
                at += part.bytes();
                doneBytes += part.bytes();
            }
            out.sync();
            return true;
        }
    }

    private void read(StoredFile.Part part) throws IOException {
        Pack.Reader reader = reader(part.pack());
        Pack.Head head = reader.head(part.offset());
        if (head.bytes() != part.bytes() || !head.hash().equals(part.hash())) {
            throw new CorruptionException(
                    Pack.path(part.pack()), part.offset(), "another part is here than backup " + backup.id() + " has");
        }
        reader.part(part.offset(), head, piece);
    }

    private Pack.Reader reader(long pack) throws IOException {
        Pack.Reader known = readers.get(pack);
        if (known != null) {
            return known;
        }
        if (readers.size() >= MOST_READERS) {
            closeReaders();
        }
        Pack.Reader opened = new Pack.Reader(repository.storage(), pack);
        readers.put(pack, opened);
        return opened;
    }

    private void closeReaders() throws IOException {
        for (Pack.Reader reader : List.copyOf(readers.values())) {
            reader.close();
        }
        readers.clear();
    }
}

package io.kvstore.backup;

import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads every byte of a repository that a backup rests on, and checks that each backup has all of its parts. */
public final class Verification {

    private final Repository repository;
    private final Progress progress;
    private final Findings findings = new Findings();
    private final List<Backup> backups = new ArrayList<>();
    private final Map<Long, Long> packs = new TreeMap<>();
    private final ByteBuffer piece = ByteBuffer.allocate(StoredFile.PART_BYTES);
    private long doneBytes;
    private long allBytes;

    private Verification(Repository repository, Progress progress) {
        this.repository = repository;
        this.progress = progress;
    }

    /** Reads until the progress says that it is to stop. */
    public static Findings run(Repository repository, Progress progress) throws IOException {
        return new Verification(repository, progress).run();
    }

    private Findings run() throws IOException {
        for (long id : repository.ids()) {
            try {
                Backup backup = repository.backup(id);
                backups.add(backup);
                packs.putAll(backup.packs());
            } catch (CorruptionException e) {
                report(e);
            } catch (StorageException e) {
                findings.report(Repository.path(id), -1, String.valueOf(e.getMessage()));
            }
        }
        allBytes = packs.values().stream().mapToLong(Long::longValue).sum();
        for (Map.Entry<Long, Long> pack : packs.entrySet()) {
            if (!check(pack.getKey(), pack.getValue())) {
                break;
            }
        }
        return findings;
    }

    private void report(CorruptionException e) {
        findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
    }

    /** Checks one pack, and the parts that backups have in it. Returns false if it is to stop. */
    private boolean check(long number, long bytes) throws IOException {
        Map<Long, Pack.Head> found = new HashMap<>();
        try (Pack.Reader reader = new Pack.Reader(repository.storage(), number)) {
            if (reader.size() != bytes) {
                findings.report(
                        Pack.path(number),
                        Math.min(reader.size(), bytes),
                        "the pack has " + reader.size() + " bytes, and had " + bytes);
            }
            long offset = Pack.HEADER_BYTES;
            while (offset < Math.min(bytes, reader.size())) {
                if (!progress.advanced(doneBytes, allBytes)) {
                    return false;
                }
                Pack.Head head = reader.head(offset);
                try {
                    reader.part(offset, head, piece);
                    found.put(offset, head);
                } catch (CorruptionException e) {
                    report(e);
                }
                long next = offset + Pack.PART_HEAD_BYTES + head.bytes();
                doneBytes += next - offset;
                offset = next;
            }
        } catch (CorruptionException e) {
            report(e);
        } catch (StorageException e) {
            findings.report(Pack.path(number), -1, String.valueOf(e.getMessage()));
        }
        backups.forEach(backup -> requireParts(backup, number, found));
        return true;
    }

    private void requireParts(Backup backup, long number, Map<Long, Pack.Head> found) {
        for (StoredFile file : backup.files()) {
            for (StoredFile.Part part : file.parts()) {
                if (part.pack() == number
                        && !new Pack.Head(part.bytes(), part.hash()).equals(found.get(part.offset()))) {
                    findings.report(
                            Pack.path(number),
                            part.offset(),
                            "backup " + backup.id() + " needs a part of " + file.path()
                                    + " that is damaged or missing");
                }
            }
        }
    }
}

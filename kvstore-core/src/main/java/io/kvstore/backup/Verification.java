package io.kvstore.backup;

import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Reads every byte of a repository that a backup rests on, and checks that each backup has all of its parts. */
public final class Verification {

    private final Repository repository;
    private final Progress progress;
    private final Findings findings = new Findings();
    private final Map<Long, Long> packs = new TreeMap<>();

    /** The parts that backups need, by pack and offset. */
    private final Map<Long, Map<Long, Need>> needs = new HashMap<>();

    private final ByteBuffer piece = ByteBuffer.allocate(StoredFile.PART_BYTES);
    private long doneBytes;
    private long allBytes;

    /** A part, the first backup that needs it, and the file of which it is a part. */
    private record Need(StoredFile.Part part, long backup, String path) {}

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
                note(repository.backup(id));
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

    private void note(Backup backup) {
        packs.putAll(backup.packs());
        for (StoredFile file : backup.files()) {
            for (StoredFile.Part part : file.parts()) {
                Need need = new Need(part, backup.id(), file.path());
                Need first = needs.computeIfAbsent(part.pack(), any -> new HashMap<>())
                        .putIfAbsent(part.offset(), need);
                if (first != null && !first.part.equals(part)) {
                    report(need);
                }
            }
        }
    }

    private void report(Need need) {
        findings.report(
                Pack.path(need.part.pack()),
                need.part.offset(),
                "backup " + need.backup + ", and maybe later ones, need a part of " + need.path
                        + " that is damaged or missing");
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
        needs.getOrDefault(number, Map.of()).forEach((offset, need) -> {
            StoredFile.Part part = need.part;
            if (!new Pack.Head(part.bytes(), part.hash()).equals(found.get(offset))) {
                report(need);
            }
        });
        return true;
    }
}

package io.kvstore.lsm.compaction;

import io.kvstore.error.CorruptionException;
import io.kvstore.error.Notices;
import io.kvstore.lsm.version.DataFiles;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The files in which background work found damage since the table was opened. A bad byte costs only the data that it damages.
 * No job chooses such a file again, because it would fail in the same way. All other files are compacted and emptied as before.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A damaged file stays where it is, whole, until nothing in it counts any more. Readers still read its undamaged parts.
 *   <li>Each file is logged once.
 * </ol>
 */
public final class Damage {

    /** By file number. SSTables and value segments share one sequence of numbers. */
    private final Map<Long, String> files = new ConcurrentHashMap<>();

    /** Notes the damage of a file. Returns whether it was not known before. */
    boolean note(long number, Exception failure) {
        boolean isNew = files.putIfAbsent(number, String.valueOf(failure.getMessage())) == null;
        if (isNew) {
            Notices.error(
                    Damage.class,
                    null,
                    "damage, found by background work, which leaves the file alone from now on",
                    failure);
        }
        return isNew;
    }

    /** Notes the damage of the file that the failure names. False if it is not in the choice, or its damage is known. */
    public boolean note(CompactionPicker.Choice among, CorruptionException failure) {
        long number = DataFiles.numberOf(failure.file().substring(failure.file().lastIndexOf('/') + 1));
        return among.has(number) && note(number, failure);
    }

    boolean isIn(long number) {
        return !files.isEmpty() && files.containsKey(number);
    }

    Set<Long> without(Set<Long> numbers) {
        Set<Long> whole = new HashSet<>(numbers);
        whole.removeAll(files.keySet());
        return whole;
    }

    public int count() {
        return files.size();
    }

    /** Describes the damage for people. Null if no file is damaged. */
    public @Nullable String description() {
        return files.isEmpty() ? null : String.join("; ", files.values());
    }
}

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
 * The files in which background work met damage since the table was opened. One bad byte costs what it damages: no job chooses
 * such a file again, whose result would be the same, and all other files are compacted and emptied as before.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A file stays where it is, whole, until nothing in it counts any more: what can still be read of it is read.
 *   <li>Each file is logged once.
 * </ol>
 */
public final class Damage {

    /** By the number of the file, which SSTables and value segments have in common. */
    private final Map<Long, String> files = new ConcurrentHashMap<>();

    /** Notes the damage of a file; whether that is news. */
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

    /** Notes the damage of the file that the failure names; false if it is none of these, or that is no news. */
    public boolean note(CompactionPicker.Choice among, CorruptionException failure) {
        long number = DataFiles.numberOf(failure.file().substring(failure.file().lastIndexOf('/') + 1));
        return among.has(number) && note(number, failure);
    }

    boolean isIn(long number) {
        return !files.isEmpty() && files.containsKey(number);
    }

    /** Those of some files that are whole, as far as is known. */
    Set<Long> without(Set<Long> numbers) {
        Set<Long> whole = new HashSet<>(numbers);
        whole.removeAll(files.keySet());
        return whole;
    }

    /** How many files are damaged. */
    public int count() {
        return files.size();
    }

    /** What is damaged, for people; null if nothing is. */
    public @Nullable String description() {
        return files.isEmpty() ? null : String.join("; ", files.values());
    }
}

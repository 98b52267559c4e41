package io.kvstore.lsm.version;

import io.kvstore.value.ValueSegmentUse;
import java.util.List;

/**
 * What the files of one version take on the disk, and how much of that is alive, as well as that is known before compactions
 * have met it. Computed once for each {@link Levels}, by the job that made them.
 *
 * <p>Alive is what a file has of keys that nothing below it holds: each SSTable knows its share from a sample that was taken
 * when
 * it was written. So what level 0 overwrites counts once, whatever its compactions are behind, and what is new counts at once.
 *
 * @param fileBytes of SSTables and value segments
 * @param liveBytes of them that are alive, estimated
 * @param tableBytes of SSTables
 * @param topBytes of SSTables in levels 0 and 1
 * @param hiddenBytes for each level, what its files have beside what is alive: what they hide below them, or what they lost
 */
public record SpaceUse(long fileBytes, long liveBytes, long tableBytes, long topBytes, List<Long> hiddenBytes) {

    static SpaceUse of(List<List<TableFile>> levels, ValueFiles values) {
        long fileBytes = 0;
        for (ValueSegmentUse segment : values.segments()) {
            fileBytes += segment.info().bytes();
        }
        long live = 0;
        long tables = 0;
        long top = 0;
        Long[] hidden = new Long[levels.size()];
        for (int level = 0; level < levels.size(); level++) {
            long hiddenInLevel = 0;
            for (TableFile file : levels.get(level)) {
                hiddenInLevel += file.dataBytes() - file.liveBytes() - file.keptBytes();
                live += file.liveBytes();
                tables += file.info().bytes();
                top += level <= 1 ? file.info().bytes() : 0;
            }
            hidden[level] = Math.max(0, hiddenInLevel);
        }
        return new SpaceUse(fileBytes + tables, live, tables, top, List.of(hidden));
    }
}

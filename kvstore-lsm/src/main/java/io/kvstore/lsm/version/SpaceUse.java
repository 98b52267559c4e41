package io.kvstore.lsm.version;

import java.util.List;

/**
 * How much disk space the files of one version take, and an estimate of the live bytes in them that does not wait for
 * compactions. Computed once for each {@link Levels}, by the job that made them.
 *
 * <p>The live bytes of a file are those of keys that no deeper file holds. Each SSTable knows its live share from a sample
 * that was taken when it was written. So a key that level 0 overwrites counts once, however far compactions of level 0 are
 * behind, and a new key counts at once.
 *
 * @param fileBytes of SSTables and value segments
 * @param liveBytes the live part of {@code fileBytes}, estimated
 * @param tableBytes of SSTables
 * @param topBytes of SSTables in levels 0 and 1
 * @param hiddenBytes for each level, bytes of its files that are neither alive nor kept for snapshots: about the bytes that
 *     the level hides below it, or that its files lost
 */
public record SpaceUse(long fileBytes, long liveBytes, long tableBytes, long topBytes, List<Long> hiddenBytes) {

    static SpaceUse of(List<List<TableFile>> levels, LiveSegments values) {
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
        return new SpaceUse(values.bytes() + tables, live, tables, top, List.of(hidden));
    }
}

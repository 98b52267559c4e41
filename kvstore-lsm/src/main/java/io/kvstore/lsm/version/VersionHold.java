package io.kvstore.lsm.version;

import io.kvstore.engine.FileHold;
import io.kvstore.engine.HeldFile;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.value.ValueHold;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.ValueSegmentInfo;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;

/** The files that one manifest names, and the manifest, which others have replaced meanwhile. */
final class VersionHold implements FileHold {

    private final TableContext context;
    private final Levels levels;
    private final VersionHistory versions;
    private final Manifest.State state;
    private final byte[] manifest;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param levels of the state, retained for this hold */
    VersionHold(TableContext context, Levels levels, VersionHistory versions, Manifest manifest, Manifest.State state) {
        this.context = context;
        this.levels = levels;
        this.versions = versions;
        this.state = state;
        this.manifest = manifest.encode(state).toArray();
    }

    @Override
    public long lsn() {
        return state.durableLsn();
    }

    @Override
    public List<HeldFile> files() {
        List<HeldFile> files = new ArrayList<>();
        levels.files().forEach(level -> level.forEach(file -> files.add(held(file))));
        List<ValueSegmentInfo> infos = state.segments();
        for (int i = 0; i < infos.size(); i++) {
            StoredSegment segment = levels.values().segments().get(i);
            files.add(ValueHold.file(context, segment, infos.get(i).bytes()));
        }
        files.add(HeldFile.of(Manifest.NAME, manifest));
        return files;
    }

    private HeldFile held(TableFile file) {
        SsTableInfo info = file.info();
        String path = file.table().path();
        return HeldFile.of(
                context.storage(), path, info.bytes(), true, () -> new WholeFileCheck(path, info.checksum()));
    }

    /** Compares the checksum of all bytes with that of the manifest. */
    private static final class WholeFileCheck implements HeldFile.Check {

        private final CRC32C crc = new CRC32C();
        private final String path;
        private final int expected;

        WholeFileCheck(String path, int expected) {
            this.path = path;
            this.expected = expected;
        }

        @Override
        public void add(ByteBuffer bytes) {
            crc.update(bytes);
        }

        @Override
        public void end() {
            if ((int) crc.getValue() != expected) {
                throw new CorruptionException(path, -1, "the checksum of the whole file is not that of the manifest");
            }
        }
    }

    @Override
    public long pinnedBytes() {
        if (!versions.isReplaced(levels)) {
            return 0;
        }
        Set<TableFile> tables = new HashSet<>();
        Set<StoredSegment> segments = new HashSet<>();
        levels.addLeaving(tables, segments);
        return tables.stream().mapToLong(table -> table.info().bytes()).sum()
                + segments.stream().mapToLong(StoredSegment::end).sum();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            levels.release();
        }
    }
}

package io.kvstore.lsm.version;

import io.kvstore.engine.FileLease;
import io.kvstore.engine.HeldFile;
import io.kvstore.engine.TableContext;
import io.kvstore.error.CorruptionException;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.value.ValueHold;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.ValueSegmentInfo;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** The files that one manifest names, as held files, and the manifest, which others replace. */
final class HeldFiles {

    private HeldFiles() {}

    /** The files of a state, of which the caller takes a lease each, with {@link Levels#retainFiles}. */
    static List<HeldFile> of(TableContext context, Levels levels, Manifest.State state, byte[] manifest) {
        List<HeldFile> files = new ArrayList<>();
        levels.files().forEach(level -> level.forEach(file -> files.add(of(context, file))));
        List<ValueSegmentInfo> infos = state.segments();
        for (int i = 0; i < infos.size(); i++) {
            StoredSegment segment = levels.values().segments().get(i);
            files.add(ValueHold.file(context, segment, infos.get(i).bytes()));
        }
        files.add(HeldFile.of(Manifest.NAME, manifest));
        return files;
    }

    private static HeldFile of(TableContext context, TableFile file) {
        SsTableInfo info = file.info();
        String path = file.table().path();
        return HeldFile.of(context.storage(), path, info.bytes(), true, () -> new WholeFileCheck(path, info.checksum()))
                .with(new FileLease(file::leavingBytes, file::release));
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
}

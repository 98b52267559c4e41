package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.StorageFile;
import io.kvstore.sealed.format.Fence;
import io.kvstore.sealed.format.LocatorLine;
import io.kvstore.sealed.format.SealedFormat;
import java.io.IOException;

/** Writes records that are read alone, each with a checksum. */
final class PlainDataWriter implements DataWriter {

    private final StorageFile file;
    private final long seed;
    private final SealedOutput out;
    private final FenceBuilder fences;
    private final RecordWriter records;
    private long fenced = -Fence.SPAN_BYTES;

    /** @param seed of the checksums */
    PlainDataWriter(StorageFile file, long seed, SealedOutput out, FenceBuilder fences) {
        this.file = file;
        this.seed = seed;
        this.out = out;
        this.fences = fences;
        this.records = new RecordWriter(seed);
    }

    @Override
    public long put(byte[] key, Slice value, long ordinal) throws IOException {
        long offset = out.position();
        if (offset >= LocatorLine.PLACES) {
            throw new InvalidRequestException("the file has " + offset + " bytes of entries; a table file has at most "
                    + LocatorLine.PLACES + ". Build several files");
        }
        fences.note(key);
        if (offset - fenced >= Fence.SPAN_BYTES) {
            fences.add(key, offset, ordinal);
            fenced = offset;
        }
        Slice front = records.beforeValue(Slice.of(key), value, offset);
        out.append(front.array(), 0, front.length());
        out.append(value.array(), value.offset(), value.length());
        return offset;
    }

    @Override
    public void end() {
        // nothing waits
    }

    @Override
    public Run.Source written(long end) {
        FileRun.Part part = new FileRun.Part(file, seed, SealedFormat.HEADER_BYTES, end);
        return (bufferBytes, mostEntryBytes) -> new FileRun(part, bufferBytes, mostEntryBytes);
    }
}

package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyHash;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.io.StorageFile;
import io.kvstore.sealed.format.FileIdentity;
import io.kvstore.sealed.format.SealedFormat;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes records in the order of their keys, and behind them the locator and the fences. */
final class SortedLayoutWriter implements LayoutWriter {

    private final SealedOutput out;
    private final KeyHash hashes;
    private final DataWriter data;
    private final LocatorBuilder locator;
    private final FenceBuilder fences;
    private long entries;
    private long mostEntryBytes;

    /**
     * Writes to a file.
     *
     * @param purpose part of the names of temporary files
     * @param packing of blocks; null for records that stand alone
     */
    SortedLayoutWriter(
            BuildFiles files,
            String purpose,
            FileIdentity identity,
            Target target,
            BlockDataWriter.@Nullable Packing packing) {
        this.out = target.out();
        this.hashes = identity.keyHash();
        this.locator = identity.layout() == Layout.PERFECT
                ? new PerfectLocatorBuilder(files, purpose, identity.seed())
                : new LineLocatorBuilder(files, purpose);
        this.fences = new FenceBuilder(files, purpose);
        this.data = packing == null
                ? new PlainDataWriter(target.file(), identity.seed(), out, fences)
                : new BlockDataWriter(target.file(), identity.seed(), out, fences, packing);
    }

    /** The file that is written. */
    record Target(StorageFile file, SealedOutput out) {}

    @Override
    public void put(byte[] key, Slice value, long ordinal) throws IOException {
        locator.add(hashes.of(key), data.put(key, value, ordinal));
        entries++;
        mostEntryBytes = Math.max(mostEntryBytes, (long) key.length + value.length());
    }

    @Override
    public void handTo(RunSorter sorter) throws IOException {
        data.end();
        out.flush();
        sorter.addSorted(data.written(out.position()), entries, mostEntryBytes);
        locator.drop();
        fences.drop();
    }

    @Override
    public Places finish(long all) throws IOException {
        data.end();
        long dataEnd = out.position();
        out.pad(SealedFormat.UNIT_BYTES);
        long locatorStart = out.position();
        locator.write(all, out);
        long fencesStart = out.position();
        fences.write(out);
        return new Places(dataEnd, locatorStart, fencesStart);
    }
}

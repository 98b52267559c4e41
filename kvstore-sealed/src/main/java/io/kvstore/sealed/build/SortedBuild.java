package io.kvstore.sealed.build;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyOrder;
import io.kvstore.engine.BlockCodec;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.io.StorageFile;
import io.kvstore.sealed.format.FileIdentity;
import io.kvstore.sealed.format.FileParts;
import io.kvstore.sealed.format.FileProperties;
import io.kvstore.sealed.format.SealedFormat;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Writes a sealed file from entries in the order of their keys. */
final class SortedBuild {

    private final BuildFiles files;
    private final FileIdentity identity;
    private final StorageFile file;
    private final SealedOutput out;
    private final LayoutWriter layout;
    private final TableFileSettings settings;

    private byte[] firstKey = {};
    private byte[] lastKey = {};
    private long entries;
    private long keyBytes;
    private long valueBytes;
    private int longestKeyBytes;
    private int longestValueBytes;

    /**
     * Begins a file.
     *
     * @param purpose part of the names of temporary files
     * @param codec the one that the settings name
     */
    SortedBuild(
            BuildFiles files,
            String purpose,
            FileIdentity identity,
            TableFileSettings settings,
            @Nullable BlockCodec codec)
            throws IOException {
        this.files = files;
        this.identity = identity;
        this.settings = settings;
        this.file = files.create(purpose);
        this.out = new SealedOutput(file);
        this.layout = identity.layout() == Layout.POINT
                ? new PointLayoutWriter(files, purpose, identity, out)
                : new SortedLayoutWriter(
                        files,
                        purpose,
                        identity,
                        new SortedLayoutWriter.Target(file, out),
                        codec == null ? null : new BlockDataWriter.Packing(codec, settings.blockBytes()));
        out.append(SealedFormat.header(identity));
    }

    long entries() {
        return entries;
    }

    /** The key that was put last. Empty before the first. */
    byte[] lastKey() {
        return lastKey;
    }

    /** Whether a key may be put next. */
    boolean isNext(byte[] key) {
        return entries == 0 || KeyOrder.compare(key, lastKey) > 0;
    }

    /** Adds an entry whose key is greater than all before it. */
    void put(byte[] key, Slice value) throws IOException {
        layout.put(key, value, entries);
        lastKey = key.clone();
        if (entries == 0) {
            firstKey = lastKey;
        }
        entries++;
        keyBytes += key.length;
        valueBytes += value.length();
        longestKeyBytes = Math.max(longestKeyBytes, key.length);
        longestValueBytes = Math.max(longestValueBytes, value.length());
    }

    /** Hands what was put to a sorter. Nothing is put any more. */
    void handTo(RunSorter sorter) throws IOException {
        layout.handTo(sorter);
    }

    /** Writes all that stands behind the records, makes the file durable, and gives it its name. */
    TableFileInfo finish() throws IOException {
        LayoutWriter.Places places = layout.finish(entries);
        long digestsStart = out.position();
        byte[] digests = out.digests();
        byte[] properties = FileProperties.write(info(0));
        long propertiesStart = digestsStart + digests.length;
        long fileBytes = propertiesStart + properties.length + SealedFormat.FOOTER_BYTES;
        FileParts parts = new FileParts(
                places.dataEnd(),
                places.locator(),
                places.fences(),
                digestsStart,
                propertiesStart,
                fileBytes,
                Checksum.of(digests),
                Checksum.of(properties));
        out.end(new ByteWriter(digests.length + properties.length + SealedFormat.FOOTER_BYTES)
                .raw(digests)
                .raw(properties)
                .raw(parts.footer(identity))
                .toArray());
        files.publish(file);
        return info(fileBytes);
    }

    private TableFileInfo info(long fileBytes) {
        return new TableFileInfo(
                identity.text(),
                entries,
                fileBytes,
                keyBytes,
                valueBytes,
                firstKey,
                lastKey,
                longestKeyBytes,
                longestValueBytes,
                identity.layout().name(),
                settings.codec(),
                SealedFormat.writer(),
                settings.texts());
    }
}

package io.kvstore.sealed.read;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.Checksum;
import io.kvstore.data.KeyHash;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.BlockCodec;
import io.kvstore.engine.BlockCodecs;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.Findings;
import io.kvstore.engine.HeldFile;
import io.kvstore.engine.Progress;
import io.kvstore.engine.Separators;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileReader;
import io.kvstore.error.Closing;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.ReadMapping;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.sealed.format.FileIdentity;
import io.kvstore.sealed.format.FileParts;
import io.kvstore.sealed.format.FileProperties;
import io.kvstore.sealed.format.LocatorLine;
import io.kvstore.sealed.format.SealedFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open sealed file. Header, footer and properties were checked when it was opened. The table of a perfect hash
 * is checked then, too. A part with lines, slots, pilots or fences is checked when it is read for the first time, and a record
 * each time.
 */
public final class SealedFile implements TableFileReader {

    private final FileBytes bytes;
    private final FileIdentity identity;
    private final FileParts parts;
    private final TableFileInfo info;
    private final @Nullable BlockCodec codec;
    private final Digests digests;
    private final KeyHash hashes;
    private final Locator locator;
    private final Fences fences;
    private final Records records;
    private final KeySearch search;

    /** Maps a file for reading. */
    public interface Mapper {

        /** Null if the file is to be read by position. */
        @Nullable
        ReadMapping map(String path, long bytes) throws IOException;
    }

    private SealedFile(FileBytes bytes, FileIdentity identity, FileParts parts) throws IOException {
        this.bytes = bytes;
        this.identity = identity;
        this.parts = parts;
        this.info = readProperties();
        requireSizes();
        this.codec = requireCodec();
        this.hashes = identity.keyHash();
        Structure structure = structure(Digests.read(bytes, parts));
        this.digests = structure.digests();
        this.locator = structure.locator();
        this.fences = structure.fences();
        this.records = structure.records();
        this.search = new KeySearch(fences, info);
    }

    /**
     * Opens a finished file.
     *
     * @throws CorruptionException if header, footer, properties or digests are damaged, or the file is cut off
     * @throws InvalidRequestException if the file's codec is not on the class path
     */
    public static SealedFile open(Storage storage, String path, Mapper mapper) throws IOException {
        StorageFile file = storage.openReadOnly(path);
        AutoCloseable begun = file;
        try {
            long size = file.size();
            if (size < SealedFormat.HEADER_BYTES + SealedFormat.FOOTER_BYTES) {
                throw new CorruptionException(
                        path, size, "the file ends here, which is too early for a sealed table file; copy all of it");
            }
            FileBytes bytes = new FileBytes(file, mapper.map(path, size), size);
            begun = bytes;
            FileIdentity identity = SealedFormat.readHeader(path, bytes.read(0, SealedFormat.HEADER_BYTES));
            byte[] footer = bytes.read(size - SealedFormat.FOOTER_BYTES, SealedFormat.FOOTER_BYTES);
            return new SealedFile(bytes, identity, FileParts.read(path, size, footer, identity));
        } catch (Throwable e) {
            Closing.giveUp(begun, SealedFile.class, path);
            throw e;
        }
    }

    private TableFileInfo readProperties() throws IOException {
        int length = (int) parts.propertiesBytes();
        byte[] properties = bytes.read(parts.properties(), length);
        if (Checksum.of(properties) != parts.propertiesChecksum()) {
            throw bytes.corrupt(parts.properties(), "the checksum of the properties is wrong");
        }
        ByteReader in = new ByteReader(bytes.path(), parts.properties(), properties, 0, length);
        return FileProperties.read(in, identity, parts.fileBytes());
    }

    private void requireSizes() {
        boolean isEmpty = info.entries() == 0;
        boolean fit = switch (identity.layout()) {
            case LINES -> parts.lines() >= LocatorLine.homes(info.entries()) && isEmpty == (parts.fenceCount() == 0);
            case PERFECT -> isEmpty == (parts.fenceCount() == 0);
            case POINT -> PointRecords.fit(parts, info);
        };
        if (!fit || isEmpty != (parts.dataEnd() == SealedFormat.HEADER_BYTES)) {
            throw bytes.corrupt(parts.properties(), "the properties do not fit to the parts of the file");
        }
    }

    @Override
    public TableFileInfo info() {
        return info;
    }

    /** Checksum of the footer, which has the checksums of all others. */
    public int footerChecksum() {
        return Checksum.of(parts.footer(identity));
    }

    @Override
    public byte @Nullable [] get(byte[] key) throws IOException {
        if (info.entries() == 0) {
            return null;
        }
        long hash = hashes.of(key);
        for (long found = locator.first(hash); found != Locator.NONE; found = locator.next(hash, found)) {
            byte[] value = records.valueOf(key, locator.place(found));
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    @Override
    public EngineCursor scan(KeyRange range) throws IOException {
        KeyRange bounds = range.inKeyOrder();
        RecordBlock block = newBlock();
        return new SealedCursor(fences, block, search.span(bounds, block), bounds.reversed());
    }

    @Override
    public long count(KeyRange range) throws IOException {
        KeySearch.Span span = search.span(range.inKeyOrder(), newBlock());
        return Math.min(range.limit(), span.count());
    }

    @Override
    public byte @Nullable [] keyAt(KeyRange range, long index) throws IOException {
        RecordBlock block = newBlock();
        KeySearch.Span span = search.span(range.inKeyOrder(), block);
        if (index >= span.count()) {
            return null;
        }
        long ordinal = range.reversed() ? span.to() - 1 - index : span.from() + index;
        long number = fences.blockOf(ordinal);
        block.load(number);
        return block.key((int) (ordinal - fences.ordinal(number)));
    }

    @Override
    public List<byte[]> separators(KeyRange range, int wanted) throws IOException {
        Separators separators = new Separators(wanted);
        RecordBlock block = newBlock();
        KeySearch.Span span = search.span(range.inKeyOrder(), block);
        if (span.count() < 2) {
            return List.of();
        }
        long first = fences.blockOf(span.from()) + 1;
        long last = fences.blockOf(span.to() - 1);
        long stride = Math.max(1, (last - first + 1) / Math.max(1, wanted));
        for (long number = first; number <= last; number += stride) {
            try {
                block.load(number);
            } catch (CorruptionException e) {
                continue; // a reader that comes there reports it; around it the others are of use all the same
            }
            separators.add(block.key(0));
        }
        return separators.keys();
    }

    @Override
    public void load(Progress progress) throws IOException {
        byte[] scratch = new byte[SealedFormat.PART_BYTES];
        for (long at = 0; at < bytes.size() && progress.advanced(at, bytes.size()); at += scratch.length) {
            bytes.read(at, scratch, (int) Math.min(scratch.length, bytes.size() - at));
        }
    }

    @Override
    public void verify(Findings findings, Progress progress) throws IOException {
        new SealedCheck(structure(digests.unchecked()), info, findings).run(progress);
    }

    /**
     * Checks all bytes against their checksums, and nothing else.
     *
     * @param requireGoing is run before each part, and throws if the check is to end
     * @throws CorruptionException at the first one that does not fit
     */
    public void requireSound(Runnable requireGoing) throws IOException {
        byte[] scratch = new byte[SealedFormat.PART_BYTES];
        for (int part = 0; part < digests.count(); part++) {
            requireGoing.run();
            digests.requireSound(part, scratch);
        }
    }

    /** Begins to check the bytes of a copy of the file, while they are read from front to back. */
    public HeldFile.Check check() {
        return new PassingCheck(bytes.path(), parts, digests::digest, footerChecksum());
    }

    /** The parts of an open file. */
    record Structure(
            FileBytes bytes,
            FileParts parts,
            Digests digests,
            KeyHash hashes,
            Locator locator,
            Fences fences,
            Records records) {}

    private Structure structure(Digests checks) throws IOException {
        return switch (identity.layout()) {
            case LINES -> sorted(checks, new LineLocator(bytes, checks, parts, info.entries()));
            case PERFECT -> sorted(checks, perfect(checks).requireLeading(true));
            case POINT -> point(checks, perfect(checks).requireLeading(false));
        };
    }

    private PerfectLocator perfect(Digests checks) throws IOException {
        return new PerfectLocator(bytes, checks, identity, parts, info.entries());
    }

    private Structure sorted(Digests checks, Locator lines) {
        StoredFences all = new StoredFences(bytes, checks, parts, info.entries());
        Records found = codec == null
                ? new PlainRecords(bytes, all, identity.seed(), parts.dataEnd(), info.longestValueBytes())
                : new PackedRecords(bytes, all, identity.seed(), codec, info.longestValueBytes());
        return new Structure(bytes, parts, checks, hashes, lines, all, found);
    }

    private Structure point(Digests checks, PerfectLocator slots) {
        PointRecords found = new PointRecords(
                new PointRecords.Source(bytes, checks, parts, hashes, identity.seed()), info, slots.allSlots());
        return new Structure(bytes, parts, checks, hashes, slots, new PointFences(found, info), found);
    }

    /** The codec that the header and the properties name. */
    private @Nullable BlockCodec requireCodec() {
        BlockCodec named;
        try {
            named = BlockCodecs.named(info.codec());
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException("the file cannot be read here: " + e.getMessage());
        }
        if (identity.codec() != (named == null ? 0 : named.id())) {
            throw bytes.corrupt(
                    0, "the codec has the id " + identity.codec() + ", which is not that of " + info.codec());
        }
        return named;
    }

    private RecordBlock newBlock() {
        return new RecordBlock(records);
    }

    @Override
    public void copy(long offset, ByteBuffer target) throws IOException {
        bytes.copy(offset, target);
    }

    @Override
    public long mappedBytes() {
        return bytes.mappedBytes();
    }

    @Override
    public void close() throws IOException {
        bytes.close();
    }
}

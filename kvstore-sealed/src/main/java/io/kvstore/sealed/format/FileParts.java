package io.kvstore.sealed.format;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.error.CorruptionException;
import java.util.Arrays;

/**
 * The parts of a sealed file, as its footer has them. Each part begins where the one before it ends, but for the zeros that
 * bring the locator to a multiple of 64. The locator has lines or a perfect hash.
 *
 * @param dataEnd where the records end, which begin behind the header
 * @param locator where the locator begins
 * @param fences where the fences begin, or the list of slots in the order of keys
 * @param digests where the digests begin
 * @param properties where the properties begin
 * @param fileBytes length of the file
 * @param digestsChecksum checksum of the digests
 * @param propertiesChecksum checksum of the properties
 */
public record FileParts(
        long dataEnd,
        long locator,
        long fences,
        long digests,
        long properties,
        long fileBytes,
        int digestsChecksum,
        int propertiesChecksum) {

    /** The bytes of the footer. */
    public byte[] footer(FileIdentity identity) {
        ByteWriter out = new ByteWriter(SealedFormat.FOOTER_BYTES);
        out.u64(dataEnd).u64(locator).u64(fences).u64(digests).u64(properties).u64(fileBytes);
        out.u32(digestsChecksum).u32(propertiesChecksum);
        out.u32(checksum(identity, out.toArray(), out.size()));
        return out.raw(SealedFormat.END).toArray();
    }

    private static int checksum(FileIdentity identity, byte[] footer, int bytes) {
        return Checksum.seeded(identity.high(), identity.low(), footer, 0, bytes);
    }

    /**
     * Reads and checks a footer.
     *
     * @param fileBytes length of the file
     * @throws CorruptionException if the footer is damaged, or does not belong to this file
     */
    public static FileParts read(String path, long fileBytes, byte[] footer, FileIdentity identity) {
        long at = fileBytes - footer.length;
        ByteReader in = new ByteReader(path, at, footer, 0, footer.length);
        FileParts parts = new FileParts(in.u64(), in.u64(), in.u64(), in.u64(), in.u64(), in.u64(), in.u32(), in.u32());
        int checked = in.position();
        int checksum = in.u32();
        if (!Arrays.equals(in.raw(SealedFormat.END.length), SealedFormat.END)) {
            throw new CorruptionException(
                    path,
                    fileBytes,
                    "there is no footer before the end of the file: it was not copied to its end, or has bytes behind it");
        }
        if (checksum != checksum(identity, footer, checked)) {
            throw new CorruptionException(path, at, "the checksum of the footer does not fit to this file");
        }
        if (parts.fileBytes != fileBytes || !parts.isInOrder(identity.layout())) {
            throw new CorruptionException(
                    path, at, "the footer describes a file of " + parts.fileBytes + " bytes; this has " + fileBytes);
        }
        return parts;
    }

    private boolean isInOrder(Layout layout) {
        int unit = layout == Layout.POINT ? PointFormat.ORDER_BYTES : Fence.BYTES;
        return dataEnd >= SealedFormat.HEADER_BYTES
                && locator == SealedFormat.roundUp(dataEnd, LocatorLine.BYTES)
                && fences >= locator
                && (fences - locator) % LocatorLine.BYTES == 0
                && digests >= fences
                && (digests - fences) % unit == 0
                && properties == digests + SealedFormat.digests(digests) * SealedFormat.DIGEST_BYTES
                && fileBytes - SealedFormat.FOOTER_BYTES >= properties
                && propertiesBytes() <= SealedFormat.MOST_PROPERTIES_BYTES;
    }

    public long propertiesBytes() {
        return fileBytes - SealedFormat.FOOTER_BYTES - properties;
    }

    /** The lines of the layout LINES. */
    public long lines() {
        return (fences - locator) / LocatorLine.BYTES;
    }

    /** The fences of a layout that has them. */
    public long fenceCount() {
        return (digests - fences) / Fence.BYTES;
    }
}

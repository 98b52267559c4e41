package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;

/**
 * The manifest's listing of an SSTable, by which another file is not taken for it. The keys are in the file only, because
 * they may be long and the manifest is written for every change of the files. See {@link SsTableInfo} for the fields.
 */
public record SsTableListing(
        long number, long bytes, int checksum, long entries, long tombstones, long minLsn, long maxLsn) {

    public static SsTableListing of(SsTableInfo info) {
        return new SsTableListing(
                info.number(),
                info.bytes(),
                info.checksum(),
                info.entries(),
                info.tombstones(),
                info.minLsn(),
                info.maxLsn());
    }

    /** Writes the bytes that {@link #read} reads. */
    public void write(ByteWriter out) {
        out.varint(number).varint(bytes).u32(checksum);
        out.varint(entries).varint(tombstones).varint(minLsn).varint(maxLsn);
    }

    /** Reads the bytes that {@link #write} wrote, and checks that they are consistent. */
    public static SsTableListing read(ByteReader in) {
        SsTableListing listing = new SsTableListing(
                in.varint(), in.varint(), in.u32(), in.varint(), in.varint(), in.varint(), in.varint());
        boolean makesSense = listing.number > 0
                && listing.bytes > 0
                && listing.entries > 0
                && listing.tombstones >= 0
                && listing.tombstones <= listing.entries
                && listing.minLsn >= 0
                && listing.minLsn <= listing.maxLsn;
        if (!makesSense) {
            throw in.corrupt("the description of SSTable " + listing.number + " contradicts itself");
        }
        return listing;
    }
}

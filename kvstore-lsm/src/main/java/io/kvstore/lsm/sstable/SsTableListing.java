package io.kvstore.lsm.sstable;

import io.kvstore.io.ByteReader;
import io.kvstore.io.ByteWriter;

/**
 * What the manifest says of an SSTable, so that another one is not taken for it. Its keys are in the file alone: they may be
 * long, and the manifest is written for every change of the files.
 *
 * @param number names the file; never reused in its table
 * @param bytes length of the file
 * @param checksum CRC32C of the whole file
 * @param entries versions of keys, tombstones included
 * @param tombstones how many of them are tombstones
 * @param minLsn the oldest version
 * @param maxLsn the newest version
 */
public record SsTableListing(
        long number, long bytes, int checksum, long entries, long tombstones, long minLsn, long maxLsn) {

    /** What is to be listed of a file. */
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

    /** Adds what {@link #read} reads. */
    public void write(ByteWriter out) {
        out.varint(number).varint(bytes).u32(checksum);
        out.varint(entries).varint(tombstones).varint(minLsn).varint(maxLsn);
    }

    /** Reads what {@link #write} added, and checks that it makes sense. */
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

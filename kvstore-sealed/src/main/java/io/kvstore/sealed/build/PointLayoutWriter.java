package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyHash;
import io.kvstore.sealed.format.FileIdentity;
import io.kvstore.sealed.format.PointFormat;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects entries whose records are to be in the slots of a perfect hash. They wait in temporary files, divided by their
 * hashes, until all are there.
 */
final class PointLayoutWriter implements LayoutWriter {

    /** So that each stream is a part. */
    private static final int ANY_PART_BITS = 8;

    private final BuildFiles files;
    private final String purpose;
    private final FileIdentity identity;
    private final KeyHash hashes;
    private final SealedOutput out;
    private @Nullable Entries entries;

    PointLayoutWriter(BuildFiles files, String purpose, FileIdentity identity, SealedOutput out) {
        this.files = files;
        this.purpose = purpose;
        this.identity = identity;
        this.hashes = identity.keyHash();
        this.out = out;
    }

    /**
     * Entries that wait. The numbers of each are its ordinal, and then key and value.
     *
     * @param packed turns key and value into numbers
     */
    private record Entries(PackedEntry packed, HashedKeys keys) {}

    private Entries entries(int keyBytes, int valueBytes) {
        Entries present = entries;
        if (present == null) {
            PackedEntry packed = new PackedEntry(new PointFormat(keyBytes, valueBytes));
            present = new Entries(packed, new HashedKeys(files, purpose + "locator", 1 + packed.numbers()));
            entries = present;
        }
        return present;
    }

    @Override
    public void put(byte[] key, Slice value, long ordinal) throws IOException {
        Entries present = entries(key.length, value.length());
        PackedEntry packed = present.packed();
        packed.set(key, value);
        int stream = present.keys().add(hashes.of(key));
        present.keys().addNumber(stream, ordinal);
        for (int i = 0; i < packed.numbers(); i++) {
            present.keys().addNumber(stream, packed.number(i));
        }
    }

    @Override
    public void handTo(RunSorter sorter) throws IOException {
        Entries present = entries(0, 0);
        PackedEntry packed = present.packed();
        int keyBytes = packed.format().keyBytes();
        present.keys().eachPart(ANY_PART_BITS, part -> {
            for (int key = 0; key < part.count(); key++) {
                for (int i = 0; i < packed.numbers(); i++) {
                    packed.set(i, part.number(key, 1 + i));
                }
                byte[] entry = packed.bytes();
                sorter.add(
                        Arrays.copyOf(entry, keyBytes),
                        Arrays.copyOfRange(entry, keyBytes, packed.format().entryBytes()));
            }
        });
        present.keys().drop();
    }

    @Override
    public Places finish(long all) throws IOException {
        Entries present = entries(0, 0);
        return new PointSlots(files, purpose, identity, out, present.packed()).write(present.keys(), all);
    }
}

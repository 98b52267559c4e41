package io.kvstore.bplus.file;

import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** Reads the superblocks of a file, and checks what they say against each other and against the file. */
final class Superblocks {

    private Superblocks() {}

    /**
     * The newest superblock. One that a crash has torn does not count.
     *
     * @throws CorruptionException if none is whole, or if one is whole and was never written so
     */
    static Superblock newest(StorageFile file, int fileTag) throws IOException {
        CorruptionException first = null;
        List<Superblock> whole = new ArrayList<>();
        for (int slot = 0; slot < PageStore.SLOTS; slot++) {
            byte[] bytes = new byte[PageFile.UNIT_BYTES];
            Superblock found = null;
            try {
                file.readFully(ByteBuffer.wrap(bytes), (long) slot * PageFile.UNIT_BYTES);
                found = Superblock.read(file.path(), bytes, slot, fileTag);
            } catch (EOFException e) {
                throw new CorruptionException(file.path(), file.size(), "is too short for its superblocks");
            } catch (CorruptionException e) {
                first = first == null ? e : first; // a crash may have torn it
            }
            if (found != null) {
                found.requireSound(file.path(), slot);
                whole.add(found);
            }
        }
        if (whole.isEmpty()) {
            throw first == null ? new IllegalStateException("no slot was read") : first;
        }
        Superblock newest = newestOf(file.path(), whole);
        newest.requireWithin(file.path(), file.size());
        return newest;
    }

    /** The newest of superblocks that were written in turn. */
    static Superblock newestOf(String file, List<Superblock> whole) {
        Superblock newest = Collections.max(whole, Comparator.comparingLong(Superblock::sequence));
        for (Superblock one : whole) {
            if (one.sequence() <= newest.sequence() - PageStore.SLOTS) {
                throw new CorruptionException(
                        file,
                        one.sequence() % PageStore.SLOTS * PageFile.UNIT_BYTES,
                        "superblock " + one.sequence() + " cannot be beside superblock " + newest.sequence());
            }
        }
        return newest;
    }
}

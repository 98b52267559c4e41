package io.kvstore.backup;

import java.util.List;

/**
 * A file of a store in a backup.
 *
 * @param path in the directory of the store
 * @param bytes length of the file
 * @param parts all have {@link #PART_BYTES} but the last one
 */
record StoredFile(String path, long bytes, List<Part> parts) {

    static final int PART_BYTES = 1 << 20;

    /**
     * A part of a file.
     *
     * @param pack the number of the pack that has it
     * @param offset in the pack, where the head of the part begins
     */
    record Part(PartHash hash, int bytes, long pack, long offset) {}
}

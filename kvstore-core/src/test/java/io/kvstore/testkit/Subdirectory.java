package io.kvstore.testkit;

import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A directory of a simulated disk as a disk of its own. */
public final class Subdirectory {

    private Subdirectory() {}

    /** A new disk with all that is in the directory, but for its lock. */
    public static SimStorage of(SimStorage disk, String directory) throws IOException {
        SimStorage root = new SimStorage();
        copy(disk, directory, root, "");
        return root;
    }

    private static void copy(SimStorage from, String directory, SimStorage to, String prefix) throws IOException {
        for (String name : from.list(directory)) {
            String path = directory + "/" + name;
            if (!from.files().contains(path)) {
                to.createDirectory(prefix + name);
                copy(from, path, to, prefix + name + "/");
            } else if (!name.equals("LOCK")) {
                try (StorageFile file = to.create(prefix + name)) {
                    file.write(ByteBuffer.wrap(from.bytes(path)), 0);
                }
            }
        }
    }
}

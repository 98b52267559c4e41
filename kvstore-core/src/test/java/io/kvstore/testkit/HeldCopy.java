package io.kvstore.testkit;

import io.kvstore.engine.FileHold;
import io.kvstore.engine.HeldFile;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Copies what an engine holds, in pieces. */
final class HeldCopy {

    private HeldCopy() {}

    /** All bytes of a file. */
    static byte[] bytes(HeldFile file, int pieceBytes) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(file.bytes()));
        try (HeldFile.Reader reader = file.source().open()) {
            while (all.hasRemaining()) {
                ByteBuffer piece = all.slice(all.position(), Math.min(pieceBytes, all.remaining()));
                reader.read(piece);
                all.position(all.position() + piece.capacity());
            }
            reader.end();
        }
        return all.array();
    }

    /** A disk with a copy of the files, in the directory of an {@link EngineHarness}. */
    static SimStorage of(FileHold hold, int pieceBytes) throws IOException {
        SimStorage disk = new SimStorage();
        disk.createDirectory("tables");
        disk.createDirectory(EngineHarness.DIRECTORY);
        for (HeldFile file : hold.files()) {
            write(disk, EngineHarness.DIRECTORY + "/" + file.name(), bytes(file, pieceBytes));
        }
        disk.syncDirectory("");
        disk.syncDirectory("tables");
        disk.syncDirectory(EngineHarness.DIRECTORY);
        return disk;
    }

    private static void write(Storage disk, String path, byte[] bytes) throws IOException {
        try (StorageFile file = disk.create(path)) {
            file.write(ByteBuffer.wrap(bytes), 0);
            file.sync();
        }
    }
}

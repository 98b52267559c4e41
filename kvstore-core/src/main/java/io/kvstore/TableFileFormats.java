package io.kvstore;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.engine.TableFileFormat;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** The formats of table files on the class path. */
record TableFileFormats(List<TableFileFormat> all) {

    private static final int MAGIC_BYTES = 8;

    static TableFileFormats load() {
        return new TableFileFormats(EngineRegistry.load().forFiles().stream()
                .map(TableEngineProvider::files)
                .map(Objects::requireNonNull)
                .toList());
    }

    /** The format of new files. */
    TableFileFormat forWriting() {
        return all.getFirst();
    }

    /** The format of a file, by its first bytes. */
    TableFileFormat of(FilePlace place) throws IOException {
        try (StorageFile file = place.storage().openReadOnly(place.name())) {
            ByteBuffer magic = ByteBuffer.allocate((int) Math.min(MAGIC_BYTES, file.size()));
            file.readFully(magic, 0);
            String found = new String(magic.array(), StandardCharsets.ISO_8859_1);
            return all.stream()
                    .filter(format -> format.magic().equals(found))
                    .findFirst()
                    .orElseThrow(() -> new CorruptionException(
                            place.name(), 0, "this is not a table file (its first 8 bytes are wrong)"));
        }
    }
}

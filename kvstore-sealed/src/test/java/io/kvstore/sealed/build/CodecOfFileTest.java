package io.kvstore.sealed.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.MemoryStorage;
import io.kvstore.sealed.format.FileIdentity;
import io.kvstore.sealed.read.SealedFile;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The id of the codec in the header is that of the codec that the properties name. */
final class CodecOfFileTest {

    private static final String PATH = "table.sealed";
    private static final int OTHER_CODEC = 7;

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "DEFLATE"})
    void an_id_of_another_codec_is_refused(String codec) throws IOException {
        MemoryStorage storage = new MemoryStorage(1 << 20);
        TableFileSettings settings = TableFileSettings.USUAL.withCodec(codec, 4 << 10);
        try (SealedFileWriter writer = SealedFileWriter.create(
                storage, PATH, settings, (layout, _) -> new FileIdentity(1, 2, 3, layout, OTHER_CODEC))) {
            writer.put(new byte[1], new byte[1]);
            writer.finish(Progress.NONE);
        }
        CorruptionException refused =
                assertThrows(CorruptionException.class, () -> SealedFile.open(storage, PATH, storage::mapReadOnly));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("the codec has the id 7, which is not that of " + codec), message);
        assertEquals(0, storage.openResources());
    }
}

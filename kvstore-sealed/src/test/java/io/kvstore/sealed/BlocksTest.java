package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileReader;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileWriter;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.MemoryStorage;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files whose records are in blocks of a codec. */
final class BlocksTest {

    private static final String PATH = "table.sealed";
    private static final String CODEC = "DEFLATE";

    /** Behind the last home lie as many lines as the hashes of a file need. */
    private static final int FEW_LINES_BYTES = 1 << 10;

    private final SealedFiles files = new SealedFiles();
    private final Storage storage = new MemoryStorage(1L << 30);
    private final Random random = new Random(4);
    private final FileOracle oracle = new FileOracle();

    private void add(int number, byte[] value) {
        oracle.entries.put(ByteBuffer.allocate(Integer.BYTES).putInt(number).array(), value);
    }

    private byte[] noise(int length) {
        byte[] value = new byte[length];
        random.nextBytes(value);
        return value;
    }

    /** Builds a file of the entries, in order and not, and compares all answers. */
    private TableFileInfo check(int blockBytes) throws IOException {
        TableFileInfo info = check(blockBytes, true);
        long other = check(blockBytes, false).fileBytes();
        assertTrue(Math.abs(info.fileBytes() - other) < FEW_LINES_BYTES, other + " bytes, not " + info.fileBytes());
        return info;
    }

    private TableFileInfo check(int blockBytes, boolean isSorted) throws IOException {
        List<Map.Entry<byte[], byte[]>> given = new ArrayList<>(oracle.entries.entrySet());
        if (!isSorted) {
            Collections.shuffle(given, random);
        }
        TableFileSettings settings = TableFileSettings.USUAL.withCodec(CODEC, blockBytes);
        try (TableFileWriter writer = files.create(storage, PATH, settings.withSortMemoryBytes(1 << 20))) {
            for (Map.Entry<byte[], byte[]> entry : given) {
                writer.put(entry.getKey(), entry.getValue());
            }
            writer.finish(Progress.NONE);
        }
        try (TableFileReader file = files.open(storage, PATH)) {
            oracle.check(file, random);
            assertEquals(CODEC, file.info().codec());
            return file.info();
        }
    }

    @Test
    void no_entries_and_one() throws IOException {
        check(512);
        add(1, new byte[0]);
        check(512);
    }

    /** Of more records than the number in a place has room for. */
    @Test
    void blocks_of_as_many_records_as_there_can_be() throws IOException {
        for (int i = 0; i < 10_000; i++) {
            add(i, new byte[i % 2]);
        }
        check(1 << 20);
    }

    /** Offsets of 2 and of 4 bytes. */
    @ParameterizedTest
    @ValueSource(ints = {65_000, 65_535, 65_536, 66_000, 1 << 20})
    void blocks_around_64_KiB(int blockBytes) throws IOException {
        for (int i = 0; i < 3_000; i++) {
            add(i, new byte[93]);
        }
        check(blockBytes);
    }

    @Test
    void a_record_that_is_longer_than_a_block_is_alone() throws IOException {
        add(1, new byte[10]);
        add(2, new byte[3_000_000]);
        add(3, noise(100));
        add(4, noise(2_000_000));
        add(5, new byte[0]);
        add(6, noise(65_535 - 8));
        add(7, noise(65_536 - 8));
        TableFileInfo info = check(512);
        assertEquals(3_000_000, info.longestValueBytes());
    }

    @Test
    void blocks_that_cannot_be_packed_stay_as_they_are() throws IOException {
        for (int i = 0; i < 500; i++) {
            add(i, noise(100));
        }
        long bytes = check(4 << 10).fileBytes();
        assertTrue(bytes < 4 * 4_096 + 500 * 125, bytes + " bytes");
    }

    @Test
    void what_can_be_packed_takes_less() throws IOException {
        for (int i = 0; i < 5_000; i++) {
            add(i, ("value_" + i).repeat(5).getBytes(StandardCharsets.US_ASCII));
        }
        long packed = check(4 << 10).fileBytes();
        TableFileSettings plain = TableFileSettings.USUAL;
        try (TableFileWriter writer = files.create(storage, PATH, plain)) {
            for (Map.Entry<byte[], byte[]> entry : oracle.entries.entrySet()) {
                writer.put(entry.getKey(), entry.getValue());
            }
            assertTrue(packed < writer.finish(Progress.NONE).fileBytes() / 2, packed + " bytes");
        }
    }

    @Test
    void a_codec_that_is_not_there_is_refused_with_its_jar() throws IOException {
        InvalidRequestException refused = assertThrows(
                InvalidRequestException.class,
                () -> files.create(storage, PATH, TableFileSettings.USUAL.withCodec("ZSTD", 4 << 10)));
        assertEquals(
                "there is no codec ZSTD on the class path; there are NONE and [DEFLATE]. Add kvstore-codec-zstd.jar",
                refused.getMessage());
        assertEquals(List.of(), storage.list(""));
        assertEquals(0, storage.openResources());
    }
}

package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Words that the JVM could not decode. */
final class GivenWordsTest {

    @TempDir
    private Path temp;

    private Path kept(byte[]... words) throws IOException {
        Path file = temp.resolve("cmdline");
        Files.write(file, "java\0Main\0".getBytes(UTF_8));
        for (byte[] word : words) {
            Files.write(file, word, java.nio.file.StandardOpenOption.APPEND);
            Files.write(file, new byte[1], java.nio.file.StandardOpenOption.APPEND);
        }
        return file;
    }

    @Test
    void words_that_were_decoded_stay() {
        String[] words = {"put", "", "\u00E9"};
        assertArrayEquals(words, GivenWords.of(words, temp.resolve("none")));
    }

    @Test
    void others_are_read_again() throws Exception {
        Path kept = kept("put".getBytes(UTF_8), new byte[0], "\u00E9\uFFFD".getBytes(UTF_8), "\u00E8".getBytes(UTF_8));
        String[] decoded = {"put", "", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD", "\u00C3\u00A8"};
        assertArrayEquals(new String[] {"put", "", "\u00E9\uFFFD", "\u00C3\u00A8"}, GivenWords.of(decoded, kept));
    }

    private static String refused(Path kept) {
        String[] decoded = {"put", "\uFFFD"};
        CommandFailure e = assertThrows(CommandFailure.class, () -> GivenWords.of(decoded, kept));
        assertEquals(ExitStatus.USAGE, e.status());
        return String.valueOf(e.getMessage());
    }

    @Test
    void what_nobody_can_read_is_refused() throws Exception {
        assertTrue(
                refused(kept("put".getBytes(UTF_8), new byte[] {(byte) 0xFF})).contains("is not UTF-8; give bytes"));
        assertTrue(refused(temp.resolve("none")).contains("set LC_ALL=C.UTF-8"));
    }
}

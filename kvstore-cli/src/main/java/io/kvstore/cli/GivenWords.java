package io.kvstore.cli;

import io.kvstore.bytes.Utf8Text;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The words of the command line as they were given, which is in UTF-8. The JVM decodes them as the locale says. Where that
 * cannot be it puts U+FFFD: for each byte beyond ASCII if there is no locale, as in a job of cron or in a container. So two
 * keys would become one. A word with that character is read again, from what the system keeps of the command line.
 */
final class GivenWords {

    /** Where a system has the command line of a process, each word with a zero behind it. */
    static final Path OF_PROCESS = Path.of("/proc/self/cmdline");

    private static final char NOT_DECODED = '\uFFFD';

    private GivenWords() {}

    /**
     * The words of the command line.
     *
     * @param decoded the words as the JVM has them: the last ones of the command line
     * @param kept the file that has the command line, if there is one
     * @throws CommandFailure if a word is not UTF-8, or nobody can tell what it is
     */
    static String[] of(String[] decoded, Path kept) {
        String[] words = decoded.clone();
        List<byte[]> given = null;
        for (int i = 0; i < words.length; i++) {
            if (words[i].indexOf(NOT_DECODED) >= 0) {
                given = given == null ? read(kept) : given;
                int place = given.size() - words.length + i;
                if (place < 0) {
                    throw bad(words[i], "cannot be read in this locale; set LC_ALL=C.UTF-8");
                }
                words[i] = text(words[i], given.get(place));
            }
        }
        return words;
    }

    private static String text(String decoded, byte[] given) {
        try {
            return Utf8Text.of(given);
        } catch (CharacterCodingException e) {
            throw bad(decoded, "is not UTF-8");
        }
    }

    private static CommandFailure bad(String word, String fault) {
        return new CommandFailure(
                ExitStatus.USAGE,
                "the word \"" + word + "\" of the command line " + fault
                        + "; give bytes that are no text as hex, with --key-encoding and --value-encoding");
    }

    /** The words of a file; none if there is no such file. */
    private static List<byte[]> read(Path kept) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(kept);
        } catch (IOException e) {
            return List.of(); // the system has no such file, so a word that is in doubt is refused
        }
        List<byte[]> words = new ArrayList<>();
        ByteArrayOutputStream word = new ByteArrayOutputStream();
        for (byte b : bytes) {
            if (b == 0) {
                words.add(word.toByteArray());
                word.reset();
            } else {
                word.write(b);
            }
        }
        return words;
    }
}

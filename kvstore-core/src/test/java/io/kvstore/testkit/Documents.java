package io.kvstore.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The project's documents, for tests that hold them against the code. */
public final class Documents {

    private Documents() {}

    /** The text of a document, by its path from the project's root. */
    public static String read(String path) throws IOException {
        Path module = Path.of(System.getProperty("basedir", ".")).toAbsolutePath();
        return Files.readString(module.resolveSibling(path));
    }

    /** The section of a document below a heading, up to the next heading of the same level. */
    public static String section(String path, String heading) throws IOException {
        String text = read(path);
        int start = text.indexOf("\n" + heading);
        if (start < 0) {
            throw new IOException(path + " has no heading that begins with " + heading);
        }
        String mark = heading.substring(0, heading.indexOf(' ') + 1);
        int end = text.indexOf("\n" + mark, start + 1);
        return text.substring(start, end < 0 ? text.length() : end);
    }
}

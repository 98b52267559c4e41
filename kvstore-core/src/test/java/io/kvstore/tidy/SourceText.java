package io.kvstore.tidy;

import java.util.List;

/** The text of one file; the path is relative to the root of the repository, with slashes. */
record SourceText(String path, String text) {
    List<String> lines() {
        return text.lines().toList();
    }

    String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** What comes after the last dot of the name; empty if there is none. */
    String extension() {
        int dot = name().lastIndexOf('.');
        return dot < 0 ? "" : name().substring(dot + 1);
    }

    boolean isTest() {
        return path.contains("src/test/");
    }

    boolean isIn(String module) {
        return path.startsWith(module + "/");
    }

    /** The number of the line that holds the character at the offset, from 1. */
    int lineAt(int offset) {
        int line = 1;
        for (int end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', end + 1)) {
            line++;
        }
        return line;
    }

    Finding finding(int line, String message) {
        return new Finding(path, line, message);
    }
}

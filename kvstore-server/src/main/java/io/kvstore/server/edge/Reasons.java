package io.kvstore.server.edge;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Says why a file or a port cannot be used. Often an exception has only the name of the file as its message. */
public final class Reasons {

    private Reasons() {}

    /** The reason in words, with the name of the file. */
    public static String of(IOException failure) {
        return switch (failure) {
            case NoSuchFileException missing -> missing.getFile() + " is not there";
            case AccessDeniedException denied ->
                "this user may not use " + denied.getFile() + "; change its permissions, or run as its owner";
            case FileSystemException named when named.getReason() == null -> named.toString();
            default -> failure.getMessage() == null ? failure.toString() : failure.getMessage();
        };
    }
}

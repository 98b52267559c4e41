package io.kvstore.io;

/** The one check that a path stays below the store's directory. */
final class StoragePath {

    private StoragePath() {}

    /** Returns the path. Fails if it is absolute, or has an empty part, a part {@code .} or {@code ..}, or a backslash. */
    static String checked(String path) {
        for (String part : path.split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..") || part.indexOf('\\') >= 0) {
                throw new IllegalArgumentException("\"" + path + "\" is not a path below the store's directory");
            }
        }
        return path;
    }
}

package io.kvstore.error;

/**
 * Stored bytes are not what was written: a checksum, a magic number or a structure rule does not hold. No value is ever
 * returned from such bytes. The message says what to do.
 */
public final class CorruptionException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    private final String file;
    private final long offset;

    /**
     * @param file the damaged file, relative to the store's directory
     * @param offset first damaged byte, or -1 when the file as a whole is missing or wrong
     */
    public CorruptionException(String file, long offset, String message) {
        super(Outcome.FAILED, file + (offset < 0 ? "" : " at offset " + offset) + ": " + message, null);
        this.file = file;
        this.offset = offset;
    }

    /** The damaged file, relative to the store's directory. */
    public String file() {
        return file;
    }

    /** First damaged byte, or -1 when the file as a whole is missing or wrong. */
    public long offset() {
        return offset;
    }
}

package io.kvstore.error;

/**
 * Stored bytes differ from the bytes that were written: a checksum, a magic number or a structure rule does not hold. No value
 * is ever returned from such bytes. The message says what to do.
 */
public final class CorruptionException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    private final String file;
    private final long offset;

    /**
     * @param file the damaged file, relative to the store's directory
     * @param offset offset of the first damaged byte, or -1 if the file as a whole is missing or wrong
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

    /** Offset of the first damaged byte, or -1 if the file as a whole is missing or wrong. */
    public long offset() {
        return offset;
    }
}

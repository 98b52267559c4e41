package io.kvstore.error;

/** Another process, or another store object of this process, has the directory open. */
public final class StoreLockedException extends KVStoreException {

    private static final long serialVersionUID = 1L;

    private final long ownerPid;

    /** @param ownerPid process id of the owner, or -1 if it is not known */
    public StoreLockedException(long ownerPid, String message) {
        super(Outcome.REJECTED, message, null);
        this.ownerPid = ownerPid;
    }

    /** Process id of the owner, or -1 if it is not known. */
    public long ownerPid() {
        return ownerPid;
    }
}

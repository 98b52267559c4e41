package io.kvstore.value.segment;

/** What a look at a record found out, if the record was the asked key's. For one thread. */
public final class Probe {

    private int valueLength;
    private long lsn;

    /** Notes what the head of the record says. */
    public void found(int length, long operation) {
        valueLength = length;
        lsn = operation;
    }

    public int valueLength() {
        return valueLength;
    }

    public long lsn() {
        return lsn;
    }

    /** What a look can tell. */
    public enum Answer {
        /** The record is the key's. */
        SAME_KEY,
        /** The record is another key's. */
        OTHER_KEY,
        /** The record is not in the memory that was looked at, or is gone. */
        UNKNOWN
    }
}

package io.kvstore.engine;

/**
 * The moment that a read sees.
 *
 * @param lsn operations above this lsn are invisible; {@link Long#MAX_VALUE} for the newest applied state
 * @param barrier whether the answer must wait until the operations that it depends on are durable, in a table that promises
 *     this
 */
public record ReadView(long lsn, boolean barrier) {

    /** The newest applied state. */
    public static final ReadView LATEST = new ReadView(Long.MAX_VALUE, true);

    /** The newest applied state, without a wait for durability. For the check step of a write, whose own commit waits. */
    public static final ReadView LATEST_UNWAITED = new ReadView(Long.MAX_VALUE, false);

    /** The state after the operation {@code lsn}, which an open snapshot keeps alive. */
    public static ReadView at(long lsn) {
        return new ReadView(lsn, true);
    }
}

package io.kvstore.testkit;

import java.util.Set;

/**
 * Which operation fails, and how.
 *
 * @param kinds the operations that are counted; others never fail
 * @param at the operation that fails, counted from 0
 * @param sticky whether all later ones fail too
 * @param fault how
 */
public record FaultPlan(Set<Operation> kinds, long at, boolean sticky, Fault fault) {

    /** How an operation fails. */
    public enum Fault {
        /** Nothing is done, and it is an I/O error. */
        EIO,
        /** Nothing is done, and it is a full disk. */
        NO_SPACE,
        /** A write does its first half; otherwise as {@link #EIO}. */
        SHORT_EIO,
        /** A write does its first half; otherwise as {@link #NO_SPACE}. */
        SHORT_NO_SPACE
    }

    /** The {@code at}-th operation of any kind fails once with an I/O error. */
    public static FaultPlan ioError(long at) {
        return new FaultPlan(Operation.all(), at, false, Fault.EIO);
    }

    /** The {@code at}-th operation that needs space, and all after it, find the disk full. */
    public static FaultPlan diskFull(long at) {
        return new FaultPlan(Operation.needingSpace(), at, true, Fault.NO_SPACE);
    }

    /** This plan, failing once or from then on. */
    public FaultPlan sticky(boolean isSticky) {
        return new FaultPlan(kinds, at, isSticky, fault);
    }

    /** This plan with another failure. */
    public FaultPlan with(Fault other) {
        return new FaultPlan(kinds, at, sticky, other);
    }
}

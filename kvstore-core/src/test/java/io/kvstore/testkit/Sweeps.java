package io.kvstore.testkit;

/** Tests that try many places of one kind. */
public final class Sweeps {

    /** Whether all places are tried, as every night, and not a share of each kind: {@code -Dkv.fault.all=true}. */
    public static final boolean ALL = Boolean.getBoolean("kv.fault.all");

    private Sweeps() {}

    /** How often something is done: {@code all} times every night, and otherwise {@code share} times. */
    public static int count(int share, int all) {
        return ALL ? all : share;
    }
}

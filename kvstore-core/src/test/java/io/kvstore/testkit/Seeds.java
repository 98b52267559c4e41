package io.kvstore.testkit;

/** The seeds of random tests: always the same ones, unless {@code -Dkv.seed=} names one to run alone. */
public final class Seeds {

    private static final String PROPERTY = "kv.seed";

    private Seeds() {}

    /** A check of one seed. */
    @FunctionalInterface
    public interface Check {
        /** Throws when the check fails. */
        void run(long seed) throws Exception;
    }

    /** Runs a check with {@code count} seeds from {@code first} on; a failure names the seed. */
    public static void each(long first, int count, Check check) {
        Long alone = Long.getLong(PROPERTY);
        long from = alone == null ? first : alone;
        long end = alone == null ? first + count : alone + 1;
        for (long seed = from; seed < end; seed++) {
            try {
                check.run(seed);
            } catch (Exception | AssertionError e) {
                throw new AssertionError("failed with -D" + PROPERTY + "=" + seed + ": " + e.getMessage(), e);
            }
        }
    }
}

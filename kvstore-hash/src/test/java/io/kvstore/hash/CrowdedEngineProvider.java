package io.kvstore.hash;

/** Makes tables with 128 different hashes and small segments, so that most keys have the hash of others, and values move. */
public final class CrowdedEngineProvider extends SmallSegmentsProvider {

    static final String NAME = "CROWDED_HASH";

    private static final int HASH_BITS = 7;

    /** With few hashes. */
    public CrowdedEngineProvider() {
        super(NAME, HASH_BITS);
    }
}

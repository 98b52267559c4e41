package io.kvstore.sealed.build;

import java.io.IOException;

/** Builds the locator of a file from the hashes and places of all records. */
sealed interface LocatorBuilder permits LineLocatorBuilder, PerfectLocatorBuilder {

    /** Adds a record. */
    void add(long hash, long place) throws IOException;

    /** Gives up what was added, because the file is built in another way. */
    void drop() throws IOException;

    /** Writes the locator, whose offset is a multiple of 64. */
    void write(long entries, SealedOutput out) throws IOException;
}

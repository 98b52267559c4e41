package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import java.io.IOException;

/** Writes the records of a file, with their fences, in the order of their keys. */
sealed interface DataWriter permits BlockDataWriter, PlainDataWriter {

    /**
     * Writes a record.
     *
     * @param ordinal how many records are before it
     * @return the place of the record, as the locator has it
     */
    long put(byte[] key, Slice value, long ordinal) throws IOException;

    /** Hands over what waits in memory. No record follows. */
    void end() throws IOException;

    /** How the records are read that end at an offset of the file, when all are in it. */
    Run.Source written(long end);
}

package io.kvstore.value.segment;

import java.io.IOException;

/** Is given one record after the other. */
@FunctionalInterface
public interface RecordVisitor {

    void record(ValuePointer pointer, byte[] key, long lsn, byte[] value) throws IOException;
}

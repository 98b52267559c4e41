package io.kvstore.lsm.entry;

import io.kvstore.value.segment.ValuePointer;

/** A walk whose entries are those of other walks. It asks the {@link #source} of an entry for the parts of that entry. */
public interface RelayCursor extends EntryCursor {

    @Override
    EntryCursor source();

    @Override
    default KeyBuffer key() {
        return source().key();
    }

    @Override
    default long lsn() {
        return source().lsn();
    }

    @Override
    default int kind() {
        return source().kind();
    }

    @Override
    default ValuePointer pointer() {
        return source().pointer();
    }

    @Override
    default byte[] valueArray() {
        return source().valueArray();
    }

    @Override
    default int valueOffset() {
        return source().valueOffset();
    }

    @Override
    default int valueLength() {
        return source().valueLength();
    }
}

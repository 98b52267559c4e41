package io.kvstore.hash.index;

/** Says whether a record is the one that is looked for. The index knows 51 bits of a key's hash, and the record has the key. */
@FunctionalInterface
public interface PlaceCheck {

    /**
     * Whether the record at a place has the key. A reader without a lock may be given a place that was replaced meanwhile, and
     * whose segment has gone. The answer is false then, and the index looks whether the entry has a newer place.
     */
    boolean isOfKey(long place);
}

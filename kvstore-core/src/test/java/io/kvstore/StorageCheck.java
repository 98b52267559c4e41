package io.kvstore;

import io.kvstore.engine.Findings;
import io.kvstore.io.Storage;

/** {@link StoreCheck} of a store in a storage that a test made. */
public final class StorageCheck {

    private StorageCheck() {}

    /** Checks an open store. */
    public static void run(KVStore store, Findings findings) {
        store.parts().verify(findings);
    }

    /** All damage that is found. */
    public static Findings run(Storage storage) {
        Findings findings = new Findings();
        try (OfflineStore store = OfflineStore.open(storage, "a storage of a test", findings)) {
            StoreCheck.run(store);
        }
        return findings;
    }
}

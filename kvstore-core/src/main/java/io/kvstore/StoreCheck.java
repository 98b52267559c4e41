package io.kvstore;

import io.kvstore.engine.Findings;
import java.nio.file.Path;

/** Checks a store that nobody has open for writing: catalog, log, and every byte of every table. */
public final class StoreCheck {

    private StoreCheck() {}

    /**
     * Checks a store. Nothing is written, also not what a recovery would write, and others may read the store meanwhile. A
     * store whose process was killed is sound.
     *
     * @return all damage that was found; none for a sound store
     * @throws io.kvstore.error.InvalidRequestException if the directory was never a store
     * @throws io.kvstore.error.StoreLockedException if the store is open for writing
     */
    public static Findings run(Path directory) {
        Findings findings = new Findings();
        try (OfflineStore store = OfflineStore.open(directory, findings)) {
            run(store);
        }
        return findings;
    }

    static void run(OfflineStore store) {
        store.parts().verify(store.losses());
        store.damaged().replay((table, mutations, mayBeOlder) -> {});
    }
}

package io.kvstore.bplus.buffer;

import java.io.IOException;
import java.util.List;

public final class LoadedPages implements PageSupply {

    private final PageBuffer buffer;
    private final PageIds ids;
    private final Runnable reclaim;

    /** @param reclaim gives back pages that no thread looks at, if there may be many */
    public LoadedPages(PageBuffer buffer, PageIds ids, Runnable reclaim) {
        this.buffer = buffer;
        this.ids = ids;
        this.reclaim = reclaim;
    }

    @Override
    public void load(List<Long> missing) throws IOException {
        for (long id : missing) {
            boolean kept = false;
            while (!kept) {
                buffer.load(id);
                kept = buffer.keep(id) || ids.location(id) == 0;
            }
        }
    }

    @Override
    public void makeRoom(int units) throws IOException {
        reclaim.run();
        buffer.makeRoom(units);
    }
}

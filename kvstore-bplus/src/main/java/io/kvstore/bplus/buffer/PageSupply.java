package io.kvstore.bplus.buffer;

import java.io.IOException;
import java.util.List;

/** Supplies work that changes the tree with pages, and with memory for new ones. Called without any lock. */
public interface PageSupply {

    /** Reads pages that are not in memory, and keeps them there until they are released. */
    void load(List<Long> ids) throws IOException;

    /** Gives back pages that no thread looks at, and makes room for this many units of new pages. */
    void makeRoom(int units) throws IOException;
}

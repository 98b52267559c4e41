package io.kvstore.bplus.buffer;

import java.io.IOException;
import java.util.List;

/** How work that changes the tree gets pages, and memory for new ones, as a writer does. Called without any lock. */
public interface PageSupply {

    /** Reads pages that are not in memory, and keeps them there until they are released. */
    void load(List<Long> ids) throws IOException;

    /** Gives back what nobody looks at, and has room for so many new pages. */
    void makeRoom(int units) throws IOException;
}

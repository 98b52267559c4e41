package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.buffer.PageIds;
import io.kvstore.bplus.page.NodeEditor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pages that one change of the tree touches: made, copied, or not part of the newest state any more. For one thread. */
final class TreePages {

    private final PageBuffer buffer;
    private final PageIds ids;
    private final TreeVersions versions;
    private final List<Page> changing = new ArrayList<>();

    TreePages(TreeParts parts) {
        this.buffer = parts.buffer();
        this.ids = parts.ids();
        this.versions = parts.versions();
    }

    /** The page if it is in memory, or null. */
    @Nullable
    Page find(long id) {
        return buffer.get(id);
    }

    /** A page that whoever asked for the change saw to be in memory. */
    Page get(long id) {
        Page page = buffer.get(id);
        if (page == null) {
            throw new IllegalStateException("page " + id + " was reserved and is not in memory");
        }
        page.touch();
        return page;
    }

    /** Whether pages that are fuller are worth some work. */
    boolean isShort() {
        return buffer.isShort();
    }

    /** A page of the current generation with nothing in it, not even what an empty one has. */
    Page create(int units) {
        return buffer.create(units, versions.current());
    }

    /** Whether the page may be changed; a page of an older generation may only be copied. */
    boolean isCurrent(Page page) {
        return page.generation() == versions.current();
    }

    /** The same in the current generation. */
    Page copyOf(Page old) {
        Page copy = create(old.units());
        copy.bytes().copyFrom(old.bytes());
        NodeEditor.setId(copy.bytes(), copy.id());
        return copy;
    }

    /** Before a page is changed: who reads it comes again, until {@link #endChanges} and once more. */
    void change(Page page) {
        if (!changing.contains(page)) {
            page.beginChange();
            changing.add(page);
        }
    }

    /** The newest state does not have the page any more. */
    void retire(Page page) {
        change(page);
        ids.retire(page.id());
        versions.retire(page.id(), ids.born(page.id()));
    }

    /** All pages and the root are what they should be. */
    void endChanges() {
        changing.forEach(Page::endChange);
        changing.clear();
    }
}

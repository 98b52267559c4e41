package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.buffer.PageIds;
import io.kvstore.bplus.page.NodeEditor;
import io.kvstore.error.CorruptionException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pages that one change of the tree touches: pages that are made or copied, and pages that leave the newest state. For one
 * thread.
 */
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

    /** A page that is in memory, or null; see {@link PageBuffer#find}. */
    @Nullable
    Page find(long id, int level) {
        return buffer.find(id, level);
    }

    /** A page that is in memory: the thread that asked for the change has seen to that. */
    Page get(long id) {
        Page page = buffer.get(id);
        if (page == null) {
            throw new IllegalStateException("page " + id + " was reserved and is not in memory");
        }
        page.touch();
        return page;
    }

    /** Whether pages are so short of memory that fuller ones are worth some work. */
    boolean isShort() {
        return buffer.isShort();
    }

    /** A page of the current generation whose bytes are not set yet, not even to those of an empty page. */
    Page create(int units) {
        return buffer.create(units, versions.current());
    }

    /** Whether the page may be changed. A page of an older generation may only be copied. */
    boolean isCurrent(Page page) {
        return page.generation() == versions.current();
    }

    Page copyOf(Page old) {
        Page copy = create(old.units());
        copy.bytes().copyFrom(old.bytes());
        NodeEditor.setId(copy.bytes(), copy.id());
        return copy;
    }

    /** Called before a page is changed. A reader begins again until {@link #endChanges}, and once more after that. */
    void change(Page page) {
        if (!changing.contains(page)) {
            page.beginChange();
            changing.add(page);
        }
    }

    /** Called when the newest state does not have the page any more. */
    void retire(Page page) {
        change(page);
        if (!ids.isLive(page.id())) {
            throw new CorruptionException(buffer.file(), -1, "page " + page.id() + " is in two places of the tree");
        }
        ids.retire(page.id());
        versions.retire(page.id(), ids.born(page.id()));
    }

    /** Called when all pages and the root are what they should be. */
    void endChanges() {
        changing.forEach(Page::endChange);
        changing.clear();
    }
}

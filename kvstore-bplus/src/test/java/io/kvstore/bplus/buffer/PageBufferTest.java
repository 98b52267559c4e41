package io.kvstore.bplus.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.file.PageStore;
import io.kvstore.bplus.lock.TreeLocks;
import io.kvstore.bplus.page.Node;
import io.kvstore.bplus.page.NodeEditor;
import io.kvstore.engine.TableContext;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PageBufferTest {

    private static final String PATH = LoneTable.DIRECTORY + "/" + PageStore.NAME;

    private final SimStorage disk = new SimStorage();
    private final Deque<Callable<Object>> atReads = new ArrayDeque<>();
    private final PageIds ids = new PageIds(2);

    private PageStore pageStore;
    private PageBuffer buffer;

    @BeforeEach
    void open() throws IOException {
        Storage storage = HookedStorage.over(disk, (name, path, proceed) -> {
            if (name.equals("readFully") && path.equals(PATH) && !atReads.isEmpty()) {
                atReads.remove().call();
            }
            return proceed.call();
        });
        StepClock clock = new StepClock();
        TableContext context =
                LoneTable.on(storage, new MemoryBudget(1 << 20, 1 << 20), clock, new StepBackground(clock));
        disk.createDirectory(LoneTable.DIRECTORY);
        PageStore.create(storage, LoneTable.DIRECTORY, context.fileTag());
        StorageFile file = storage.open(PATH);
        pageStore = PageStore.open(file, context.fileTag());
        buffer = new PageBuffer(context, 1 << 20, pageStore, ids, new TreeLocks().writing());
    }

    private static long takenOfHeap() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    /** The heap that is taken to make pages, with the arrays that lists threw away while they grew. */
    private static long heapOfPages(int pages) {
        StepClock clock = new StepClock();
        long bytes = (long) pages * PageFile.UNIT_BYTES;
        TableContext context =
                LoneTable.on(new SimStorage(), new MemoryBudget(2 * bytes, 0), clock, new StepBackground(clock));
        PageIds allIds = new PageIds(2);
        PageBuffer all = new PageBuffer(context, 2 * bytes, null, allIds, new TreeLocks().writing());
        long before = takenOfHeap();
        for (int i = 0; i < pages; i++) {
            Page page = all.create(1, 1);
            allIds.settle(page.id(), page.id());
            allIds.setDurable(page.id(), page.id());
        }
        long taken = takenOfHeap() - before;
        all.close();
        return taken;
    }

    @Test
    void a_page_in_memory_takes_little_of_the_heap() {
        int pages = 4_096;
        long bytes = heapOfPages(2 * pages) - heapOfPages(pages);
        assertTrue(bytes <= pages * 300L, bytes + " bytes for " + pages + " pages");
    }

    private long written(long id) throws IOException {
        MemorySegment page = MemorySegment.ofArray(new byte[PageFile.UNIT_BYTES]);
        NodeEditor.clear(page, id, 0);
        long location = pageStore.pages().write(id, page);
        ids.add(id, location);
        return location;
    }

    /** A checkpoint moves pages to the front of the file, also those that somebody reads just then. */
    @Test
    void a_page_that_is_moved_while_it_is_read_is_found() throws IOException {
        long location = written(1);
        atReads.add(() -> buffer.move(1, location));
        Page page = buffer.load(1);
        assertNotNull(page, "the page is not there");
        assertEquals(1, Node.id(page.bytes()));
        assertTrue(ids.location(1) != location, "it was not moved");
    }

    @Test
    void a_page_that_goes_while_it_is_read_is_not_found() throws IOException {
        assertTrue(written(1) > 0);
        atReads.add(() -> buffer.discard(1));
        assertNull(buffer.load(1));
    }
}

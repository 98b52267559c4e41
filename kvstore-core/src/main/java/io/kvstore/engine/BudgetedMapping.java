package io.kvstore.engine;

import io.kvstore.error.Notices;
import io.kvstore.io.ReadMapping;
import io.kvstore.memory.MemoryBudget;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A mapping that counts in the store's {@link MemoryBudget} until it is closed. */
final class BudgetedMapping implements ReadMapping {

    private final ReadMapping mapping;
    private final MemoryBudget budget;
    private final long bytes;
    private final AtomicBoolean closed = new AtomicBoolean();

    private BudgetedMapping(ReadMapping mapping, MemoryBudget budget, long bytes) {
        this.mapping = mapping;
        this.budget = budget;
        this.bytes = bytes;
    }

    /** Maps the first bytes of a file. Null if other mappings leave no room in the budget, or the system cannot map it. */
    static @Nullable ReadMapping of(TableContext context, String path, long bytes) {
        MemoryBudget budget = context.memory();
        if (!budget.tryMap(bytes)) {
            return null;
        }
        try {
            return new BudgetedMapping(context.storage().mapReadOnly(path, bytes), budget, bytes);
        } catch (IOException e) {
            budget.unmap(bytes);
            tell(context, path, e);
            return null;
        } catch (RuntimeException | Error e) {
            budget.unmap(bytes);
            throw e;
        }
    }

    /** Warns that a file could not be mapped. There is no warning if the file was removed meanwhile: nobody will read it. */
    private static void tell(TableContext context, String path, IOException cause) {
        boolean isThere = true;
        try {
            isThere = context.storage().exists(path);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        if (isThere) {
            Notices.warning(
                    BudgetedMapping.class, path, "it could not be mapped and is read part by part, more slowly", cause);
        }
    }

    @Override
    public MemorySegment memory() {
        return mapping.memory();
    }

    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            mapping.close();
            budget.unmap(bytes);
        }
    }
}

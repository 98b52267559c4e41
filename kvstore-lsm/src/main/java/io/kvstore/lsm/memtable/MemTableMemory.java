package io.kvstore.lsm.memtable;

import io.kvstore.memory.MemoryBudget;
import java.util.concurrent.atomic.AtomicLong;

/** The memory that one memtable has taken from the budget. The writer alone takes it. It is given back as a whole. */
public final class MemTableMemory {

    private final MemoryBudget budget;
    private final boolean isBounded;
    private final AtomicLong takenBytes = new AtomicLong();
    private long beyondBytes;

    /** Bytes that were taken from the budget, or beyond it, and are not used yet. */
    private long grantedBytes;

    /** @param isBounded false if a replay of a log that cannot be written elsewhere may take more than the budget has */
    public MemTableMemory(MemoryBudget budget, boolean isBounded) {
        this.budget = budget;
        this.isBounded = isBounded;
    }

    /** Takes bytes from the budget. Returns false if the budget does not have them. */
    boolean tryTake(long bytes) {
        if (bytes <= grantedBytes) {
            grantedBytes -= bytes;
            return true;
        }
        if (!isBounded) {
            budget.take(MemoryBudget.Use.MEMTABLE, bytes);
        } else if (!budget.tryTake(MemoryBudget.Use.MEMTABLE, bytes)) {
            budget.noteRefused(MemoryBudget.Use.MEMTABLE, bytes);
            return false;
        }
        takenBytes.setRelease(takenBytes.getPlain() + bytes);
        return true;
    }

    /** Gives back bytes that the system could not allocate. They stay counted, for the next allocation. */
    void giveBack(long bytes) {
        grantedBytes += bytes;
    }

    /** Lets a later {@link #tryTake} of this many bytes succeed, see {@link MemoryBudget#tryTakeBeyond}. */
    boolean tryTakeBeyond(long bytes) {
        long more = bytes - grantedBytes;
        if (more > 0 && !budget.tryTakeBeyond(MemoryBudget.Use.MEMTABLE, more)) {
            return false;
        }
        beyondBytes += Math.max(0, more);
        grantedBytes = Math.max(bytes, grantedBytes);
        takenBytes.setRelease(takenBytes.getPlain() + Math.max(0, more));
        return true;
    }

    long takenBytes() {
        return takenBytes.getAcquire();
    }

    void release() {
        budget.release(MemoryBudget.Use.MEMTABLE, takenBytes.getAcquire() - beyondBytes);
        budget.releaseBeyond(MemoryBudget.Use.MEMTABLE, beyondBytes);
    }
}

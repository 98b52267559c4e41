package io.kvstore.lsm.memtable;

import io.kvstore.engine.MemoryBudget;
import java.util.concurrent.atomic.AtomicLong;

/** What one memtable has taken of the budget. Taken by the writer alone, and given back as a whole. */
public final class MemTableMemory {

    private final MemoryBudget budget;
    private final boolean isBounded;
    private final AtomicLong takenBytes = new AtomicLong();
    private long beyondBytes;

    /** Of what was taken beyond the budget, what is not used yet. */
    private long grantedBytes;

    /** @param isBounded false if more than the budget has may be taken: a log is replayed that cannot be written elsewhere */
    public MemTableMemory(MemoryBudget budget, boolean isBounded) {
        this.budget = budget;
        this.isBounded = isBounded;
    }

    /** Whether so many bytes were taken. */
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

    /** What was taken and the system did not have. */
    void giveBack(long bytes) {
        grantedBytes += bytes;
    }

    /** Takes what the budget does not have, so that so many bytes can be taken; see {@link MemoryBudget#tryTakeBeyond}. */
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

    /** All of it. */
    long takenBytes() {
        return takenBytes.getAcquire();
    }

    /** Gives all of it back. */
    void release() {
        budget.release(MemoryBudget.Use.MEMTABLE, takenBytes.getAcquire() - beyondBytes);
        budget.releaseBeyond(MemoryBudget.Use.MEMTABLE, beyondBytes);
    }
}

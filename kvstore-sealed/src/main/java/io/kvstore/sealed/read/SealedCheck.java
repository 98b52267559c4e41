package io.kvstore.sealed.read;

import io.kvstore.data.KeyHead;
import io.kvstore.data.KeyOrder;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.error.CorruptionException;
import io.kvstore.sealed.format.RecordHead;
import io.kvstore.sealed.format.SealedFormat;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Checks all of a file: the digests of its parts, the checksum and the order of each record, that fences and locator lead to
 * each record, and that neither leads elsewhere.
 */
final class SealedCheck {

    private final SealedFile.Structure file;
    private final TableFileInfo info;
    private final RecordBlock block;
    private final Findings findings;
    private final int common;

    private boolean readable = true;
    private byte @Nullable [] lastKey;
    private long entries;
    private long keyBytes;
    private long valueBytes;
    private int longestKeyBytes;
    private int longestValueBytes;

    SealedCheck(SealedFile.Structure file, TableFileInfo info, Findings findings) {
        this.file = file;
        this.info = info;
        this.block = new RecordBlock(file.records());
        this.findings = findings;
        this.common = KeySearch.commonBytes(info.firstKey(), info.lastKey());
    }

    void run(Progress progress) throws IOException {
        long digests = file.digests().count();
        long fences = file.fences().count();
        if (!checkDigests(progress, digests + fences)) {
            return;
        }
        for (long number = 0; number < fences; number++) {
            findings.requireGoing();
            try {
                checkBlock(number);
            } catch (CorruptionException e) {
                readable = false;
                report(e);
            }
            if (!progress.advanced(digests + number, digests + fences)) {
                return;
            }
        }
        try {
            checkLocator();
        } catch (CorruptionException e) {
            report(e);
        }
        if (readable) {
            checkTotals();
        }
    }

    /** Returns false if the check is to end. */
    private boolean checkDigests(Progress progress, long steps) throws IOException {
        byte[] scratch = new byte[SealedFormat.PART_BYTES];
        for (int part = 0; part < file.digests().count(); part++) {
            findings.requireGoing();
            try {
                file.digests().requireSound(part, scratch);
            } catch (CorruptionException e) {
                report(e);
            }
            if (!progress.advanced(part, steps)) {
                return false;
            }
        }
        return true;
    }

    private void checkBlock(long number) throws IOException {
        block.load(number);
        long start = file.fences().place(number);
        long before = file.fences().ordinal(number);
        if (readable && before != entries) {
            report(start, "the fence of block " + number + " has " + before + " entries before it, not " + entries);
        }
        entries = before;
        if (file.fences().head(number) != KeyHead.of(block.key(0), common, Math.max(common, block.key(0).length))) {
            report(start, "the fence of block " + number + " is not that of its first key");
        }
        for (int record = 0; record < block.count(); record++) {
            checkRecord(start, record);
        }
    }

    private void checkRecord(long start, int record) throws IOException {
        long head = block.head(record);
        byte[] key = block.key(record);
        byte[] last = lastKey;
        if (entries == 0 ? !Arrays.equals(key, info.firstKey()) : last != null && KeyOrder.compare(last, key) >= 0) {
            report(start, "entry " + entries + " does not follow the one before it");
        }
        if (!isLocated(key, file.records().placeOf(block, record))) {
            report(start, "the locator does not lead to entry " + entries);
        }
        lastKey = key;
        entries++;
        keyBytes += key.length;
        valueBytes += RecordHead.valueBytes(head);
        longestKeyBytes = Math.max(longestKeyBytes, key.length);
        longestValueBytes = Math.max(longestValueBytes, RecordHead.valueBytes(head));
    }

    private boolean isLocated(byte[] key, long place) throws IOException {
        Locator locator = file.locator();
        long hash = file.hashes().of(key);
        for (long found = locator.first(hash); found != Locator.NONE; found = locator.next(hash, found)) {
            if (locator.place(found) == place) {
                return true;
            }
        }
        return false;
    }

    /** As each record is found through its own number, the locator leads elsewhere if there are more. */
    private void checkLocator() throws IOException {
        long used = file.records().used(file.locator(), findings::requireGoing);
        if (used != info.entries()) {
            report(file.parts().locator(), "the locator has " + used + " places for " + info.entries() + " entries");
        }
    }

    private void checkTotals() {
        if (entries != info.entries()
                || keyBytes != info.keyBytes()
                || valueBytes != info.valueBytes()
                || longestKeyBytes != info.longestKeyBytes()
                || longestValueBytes != info.longestValueBytes()
                || !Arrays.equals(lastKey == null ? new byte[0] : lastKey, info.lastKey())) {
            report(
                    file.parts().properties(),
                    "there are " + entries + " entries with " + keyBytes + " bytes of keys and " + valueBytes
                            + " of values; the properties say " + info.entries() + ", " + info.keyBytes() + " and "
                            + info.valueBytes() + ", or have another longest or last key");
        }
    }

    private void report(CorruptionException e) {
        report(e.offset(), String.valueOf(e.getMessage()));
    }

    private void report(long offset, String message) {
        findings.report(file.bytes().path(), offset, message);
    }
}

package io.kvstore.hash;

import io.kvstore.bytes.Checksum;
import io.kvstore.testkit.ForgedFilesContract;
import io.kvstore.testkit.Forgery;
import io.kvstore.testkit.StoreScenario;
import io.kvstore.value.segment.ValueSegmentFormat;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Index files with right checksums and absurd fields, besides the catalog, the log and value segments. */
final class HashForgedFilesTest extends ForgedFilesContract {

    private static final int HEAD = 16;
    private static final int HEAD_CHECKSUM = 36;
    private static final int MARK = 4_096;
    private static final int MARK_CHECKSUM = MARK + 16;
    private static final int FIRST_BLOCK = 8_192;
    private static final int BLOCK_HEAD = 12;
    private static final int PAGE_HEAD = 8;
    private static final int ENTRY = 12;
    private static final int PAGE = 1;
    private static final int COMMIT = 3;
    private static final String[] KINDS = {"", "index page", "index changes", "index commit"};

    @Override
    protected List<StoreScenario.Engine> engines() {
        return HashScenarios.ALL;
    }

    @Override
    protected int leastFiles() {
        return 2_000;
    }

    @Override
    protected List<Forgery> partsOf(String path, byte[] bytes) {
        List<Forgery> parts = new ArrayList<>();
        if (!path.endsWith(".idx")) {
            return parts;
        }
        ByteBuffer index = Forgery.numbers(bytes);
        long seed = ValueSegmentFormat.seed(index.getInt(HEAD), index.getLong(HEAD + 4));
        parts.add(new Forgery(
                "index head",
                HEAD,
                HEAD_CHECKSUM,
                true,
                file -> file.putInt(HEAD_CHECKSUM, Checksum.of(Forgery.bytes(file), HEAD, HEAD_CHECKSUM - HEAD))));
        parts.add(new Forgery(
                "index mark",
                MARK,
                MARK_CHECKSUM,
                true,
                file -> file.putInt(
                        MARK_CHECKSUM, Checksum.seeded(seed, MARK, Forgery.bytes(file), MARK, MARK_CHECKSUM - MARK))));
        int page = 0;
        int commit = 0;
        for (int at = FIRST_BLOCK; at < bytes.length; at = (int) endOf(index, at)) {
            int block = at;
            int kind = index.get(block + 8);
            int payload = block + BLOCK_HEAD + index.getInt(block + 4);
            parts.add(new Forgery(KINDS[kind], block + 4, payload, true, file -> seal(file, seed, block)));
            page = kind == PAGE ? block : page;
            commit = kind == COMMIT ? block : commit;
        }
        if (page > 0 && commit > 0) {
            parts.add(alike(index, seed, page, commit));
        }
        return parts;
    }

    private static void seal(ByteBuffer file, long seed, int block) {
        long checked = endOf(file, block) - block - 4;
        if (checked >= 8 && checked <= file.capacity() - block - 4) {
            file.putInt(block, Checksum.seeded(seed, block, Forgery.bytes(file), block + 4, (int) checked));
        }
    }

    /** Any number of entries, and all entries of a page have hashes that begin alike: the directory could become large. */
    private static Forgery alike(ByteBuffer index, long seed, int page, int commit) {
        int numberAt = commit + BLOCK_HEAD + 2 * Long.BYTES;
        long number = index.getLong(numberAt);
        return new Forgery("index entries", numberAt, numberAt + Long.BYTES, true, file -> {
            int end = page + BLOCK_HEAD + file.getInt(page + 4);
            int first = page + BLOCK_HEAD + PAGE_HEAD;
            for (int at = first; at < end && file.getLong(numberAt) != number; at += ENTRY) {
                file.putInt(at, file.getInt(first));
            }
            seal(file, seed, page);
            seal(file, seed, commit);
        });
    }

    private static long endOf(ByteBuffer file, int block) {
        int unit = file.get(block + 8) == COMMIT ? 4_096 : 8;
        return (block + (long) BLOCK_HEAD + file.getInt(block + 4) + unit - 1) / unit * unit;
    }
}

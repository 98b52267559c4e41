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
                file -> file.putInt(HEAD_CHECKSUM, Checksum.of(file.array(), HEAD, HEAD_CHECKSUM - HEAD))));
        parts.add(new Forgery(
                "index mark",
                MARK,
                MARK_CHECKSUM,
                true,
                file -> file.putInt(
                        MARK_CHECKSUM, Checksum.seeded(seed, MARK, file.array(), MARK, MARK_CHECKSUM - MARK))));
        for (int at = FIRST_BLOCK; at < bytes.length; ) {
            int block = at;
            int payload = at + BLOCK_HEAD + index.getInt(at + 4);
            parts.add(new Forgery(KINDS[index.get(at + 8)], at + 4, payload, true, file -> {
                long checked = endOf(file, block) - block - 4;
                if (checked >= 8 && checked <= file.capacity() - block - 4) {
                    file.putInt(block, Checksum.seeded(seed, block, file.array(), block + 4, (int) checked));
                }
            }));
            at = (int) endOf(index, at);
        }
        return parts;
    }

    private static long endOf(ByteBuffer file, int block) {
        int unit = file.get(block + 8) == 3 ? 4_096 : 8;
        return (block + (long) BLOCK_HEAD + file.getInt(block + 4) + unit - 1) / unit * unit;
    }
}

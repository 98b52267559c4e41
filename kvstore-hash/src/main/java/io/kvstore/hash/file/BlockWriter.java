package io.kvstore.hash.file;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Makes the bytes of blocks. The bytes that a method returns are valid until the next call. For one thread. */
final class BlockWriter {

    private final long fileSeed;
    private final ByteWriter out = new ByteWriter();

    BlockWriter(long fileSeed) {
        this.fileSeed = fileSeed;
    }

    /** Entries of one page, as arrays of which a part is used. */
    record Entries(int prefix, int depth, int[] hashes, long[] words) {}

    /** Changes, as arrays of which a part is used. */
    record Changes(int[] hashes, long[] olds, long[] news) {}

    ByteBuffer page(long offset, Entries entries, int from, int to) {
        begin(IndexFormat.PAGE);
        out.u32(entries.prefix).u8(entries.depth).u8(0).u16(to - from);
        for (int i = from; i < to; i++) {
            out.u32(entries.hashes[i]).u64(entries.words[i]);
        }
        return end(IndexFormat.PAGE, offset);
    }

    ByteBuffer changes(long offset, Changes changes, int from, int to) {
        begin(IndexFormat.CHANGES);
        out.u32(to - from);
        for (int i = from; i < to; i++) {
            out.u32(changes.hashes[i]).u64(changes.olds[i]).u64(changes.news[i]);
        }
        return end(IndexFormat.CHANGES, offset);
    }

    ByteBuffer commit(String path, long offset, IndexCommit commit) throws IOException {
        begin(IndexFormat.COMMIT);
        out.u64(commit.sequence()).u64(commit.lsn()).u64(commit.entries());
        out.raw(commit.segments().toBytes());
        if (!IndexFormat.isPossible(IndexFormat.COMMIT, out.size() - IndexFormat.BLOCK_HEAD_BYTES)) {
            throw new IOException(path + " has as many value segments as a table can have");
        }
        return end(IndexFormat.COMMIT, offset);
    }

    private void begin(int kind) {
        out.cut(0);
        out.u64(0).u32(kind);
    }

    private ByteBuffer end(int kind, long offset) {
        int length = out.size() - IndexFormat.BLOCK_HEAD_BYTES;
        out.setU32(Integer.BYTES, length);
        out.raw(new byte[(int) (IndexFormat.end(offset, kind, length) - offset) - out.size()]);
        ByteBuffer bytes = out.toBuffer();
        out.setU32(0, Checksum.seeded(fileSeed, offset, bytes.position(Integer.BYTES)));
        return bytes.rewind();
    }
}

package io.kvstore.backup;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.NumberedName;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The bytes of a pack: a header, then parts without gaps up to the end of the file, each behind a head of its own. A pack is
 * written once, by one backup, and never changes.
 */
final class Pack {

    static final FileHeader HEADER = new FileHeader("KVPARTS1", "pack of a backup", 1);
    static final String DIRECTORY = "parts";
    static final NumberedName NAME = new NumberedName(10, ".parts");

    /** The length of the file header, then the number of the pack u64, zeros u32 and a checksum of these two. */
    static final int HEADER_BYTES = FileHeader.BYTES + 16;

    /** The length of a part u32, its hash, and before them a checksum of both, seeded by pack and offset. */
    static final int PART_HEAD_BYTES = 2 * Integer.BYTES + PartHash.BYTES;

    private Pack() {}

    static String path(long number) {
        return DIRECTORY + "/" + NAME.of(number);
    }

    static byte[] header(long number) {
        ByteWriter out = new ByteWriter(HEADER_BYTES);
        HEADER.write(out, 0);
        return out.u64(number).u32(0).checksumFrom(FileHeader.BYTES).toArray();
    }

    static byte[] partHead(long number, long offset, int bytes, PartHash hash) {
        ByteWriter fields = new ByteWriter(PART_HEAD_BYTES);
        fields.u32(bytes);
        hash.write(fields);
        byte[] checked = fields.toArray();
        ByteWriter out = new ByteWriter(PART_HEAD_BYTES);
        return out.u32(Checksum.seeded(number, offset, checked, 0, checked.length))
                .raw(checked)
                .toArray();
    }

    /** What the head of a part says. */
    record Head(int bytes, PartHash hash) {}

    /** Reads from one pack. For one thread. */
    static final class Reader implements AutoCloseable {

        private final StorageFile file;
        private final long number;
        private final long size;

        /** Checks the header. */
        Reader(Storage storage, long number) throws IOException {
            String path = path(number);
            if (!storage.exists(path)) {
                throw new CorruptionException(path, -1, "the pack is missing");
            }
            this.number = number;
            this.file = storage.openSequential(path);
            boolean complete = false;
            try {
                this.size = file.size();
                readHeader();
                complete = true;
            } finally {
                if (!complete) {
                    file.close();
                }
            }
        }

        long size() {
            return size;
        }

        private void readHeader() throws IOException {
            ByteReader in = new ByteReader(file.path(), bytes(0, HEADER_BYTES));
            int flags = HEADER.read(in, file.path()).flags();
            long found = in.u64();
            int zero = in.u32();
            in.checksumFrom(FileHeader.BYTES);
            if (flags != 0 || zero != 0 || found != number) {
                throw new CorruptionException(file.path(), 0, "this is pack " + found + ", not pack " + number);
            }
        }

        private byte[] bytes(long offset, int count) throws IOException {
            if (offset + count > size) {
                throw new CorruptionException(file.path(), size, "the pack was cut");
            }
            byte[] bytes = new byte[count];
            file.readFully(ByteBuffer.wrap(bytes), offset);
            return bytes;
        }

        Head head(long offset) throws IOException {
            ByteReader in = new ByteReader(file.path(), offset, bytes(offset, PART_HEAD_BYTES), 0, PART_HEAD_BYTES);
            int checksum = in.u32();
            int length = in.u32();
            PartHash hash = PartHash.read(in);
            byte[] expected = partHead(number, offset, length, hash);
            if (new ByteReader(file.path(), expected).u32() != checksum
                    || length < 1
                    || length > StoredFile.PART_BYTES) {
                throw new CorruptionException(file.path(), offset, "the head of a part is damaged");
            }
            return new Head(length, hash);
        }

        /** Fills a buffer, from its start to the length of the part, with the bytes of a part, and checks them. */
        void part(long offset, Head head, ByteBuffer target) throws IOException {
            target.clear().limit(head.bytes());
            if (offset + PART_HEAD_BYTES + head.bytes() > size) {
                throw new CorruptionException(file.path(), size, "the pack was cut");
            }
            file.readFully(target, offset + PART_HEAD_BYTES);
            target.flip();
            if (!PartHash.of(target).equals(head.hash())) {
                throw new CorruptionException(file.path(), offset + PART_HEAD_BYTES, "the bytes of a part are damaged");
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}

package io.kvstore.bplus.file;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.Checksum;
import io.kvstore.engine.FileLease;
import io.kvstore.engine.HeldFile;
import io.kvstore.error.CorruptionException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * The pages to which one superblock leads, held as they are: their places are not given out meanwhile. A copy has
 * that superblock in its slot, and zeros in the other two and wherever no held page lies. So two copies differ only where pages
 * do.
 */
final class HeldPages {

    private static final int ID_OFFSET = 8;

    private final PageFile pages;
    private final Superblock superblock;
    private final int slot;

    /** Where pages are. Places are the upper bits, so this is their order in the file. */
    private final long[] locations;

    private final BitSet units = new BitSet();
    private final HeldFile file;

    /**
     * Describes the pages to be held. {@link #hold} holds them.
     *
     * @param slot the offset of the superblock in the file
     * @param locations of all pages to which the superblock leads, in ascending order
     */
    HeldPages(PageFile pages, Superblock superblock, int slot, long[] locations) throws IOException {
        this.pages = pages;
        this.superblock = superblock;
        this.slot = slot;
        this.locations = locations;
        long end = PageStore.SLOTS;
        for (long location : locations) {
            end = Location.place(location) + Location.units(location);
            if (end > Integer.MAX_VALUE) {
                throw new IOException(pages.file().path() + " has more than 8 TiB, which is too long for a backup");
            }
            units.set((int) Location.place(location), (int) end);
        }
        FreeSpaceMap places = pages.places();
        FileLease lease = new FileLease(() -> places.leftUnits() * PageFile.UNIT_BYTES, () -> places.release(units));
        this.file = new HeldFile(PageStore.NAME, end * PageFile.UNIT_BYTES, false, Reader::new, lease);
    }

    /** Holds the pages until the lease of the file is given back. */
    HeldFile hold() {
        pages.places().hold(units);
        return file;
    }

    /** Reads page by page, and checks each of them. */
    private final class Reader implements HeldFile.Reader {

        private byte[] piece = head();
        private int pieceAt;
        private long position;
        private int next;

        private byte[] head() {
            byte[] head = new byte[PageStore.SLOTS * PageFile.UNIT_BYTES];
            System.arraycopy(superblock.write(pages.fileTag()), 0, head, slot, PageFile.UNIT_BYTES);
            return head;
        }

        @Override
        public void read(ByteBuffer target) throws IOException {
            while (target.hasRemaining()) {
                if (pieceAt == piece.length) {
                    position += piece.length;
                    piece = nextPiece(target.remaining());
                    pieceAt = 0;
                }
                int count = Math.min(target.remaining(), piece.length - pieceAt);
                target.put(piece, pieceAt, count);
                pieceAt += count;
            }
        }

        /** The page that begins at the position, or some of the zeros before the next one. */
        private byte[] nextPiece(int mostZeros) throws IOException {
            long place = Location.place(locations[next]);
            long zeros = place * PageFile.UNIT_BYTES - position;
            if (zeros > 0) {
                return new byte[(int) Math.min(zeros, mostZeros)];
            }
            return page(locations[next++]);
        }

        private byte[] page(long location) throws IOException {
            byte[] page = new byte[Location.units(location) * PageFile.UNIT_BYTES];
            String path = pages.file().path();
            try {
                pages.file().readFully(ByteBuffer.wrap(page), position);
            } catch (EOFException e) {
                throw new CorruptionException(path, position, "a page lies behind the end of the file");
            }
            ByteReader fields = new ByteReader(path, page);
            int checksum = fields.u32();
            fields.skip(ID_OFFSET - Integer.BYTES);
            long id = fields.u64();
            int computed = Checksum.seeded(pages.fileTag(), id, page, Integer.BYTES, page.length - Integer.BYTES);
            if (computed != checksum || (checksum & Location.CHECK_MASK) != Location.check(location)) {
                throw new CorruptionException(path, position, "the checksum of page " + id + " is wrong");
            }
            return page;
        }

        @Override
        public void end() {
            // each page was checked
        }

        @Override
        public void close() {
            // the file is that of the table
        }
    }
}

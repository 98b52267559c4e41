package io.kvstore.cli.dump;

import io.kvstore.bytes.FileHeader;

/** The numbers of the format of dumps. */
final class DumpFormat {

    static final FileHeader HEADER = new FileHeader("KVSTDUMP", "dump of kvstore", 1);

    /** kind, form, zero, plain length, length, crc of the bytes, crc of the head. */
    static final int HEAD_BYTES = 20;

    /** The most bytes of a block before it is compressed. None may have more. */
    static final int MOST_BLOCK_BYTES = 1 << 20;

    /** A block of entries is written when it would have more. */
    static final int USUAL_BLOCK_BYTES = 256 << 10;

    static final int MOST_TABLES = 100_000;

    /** The most bytes of all definitions before they are compressed. */
    static final long MOST_DEFINITION_BYTES = 256 << 20;

    static final int PLAIN = 0;
    static final int COMPRESSED = 1;

    private DumpFormat() {}

    /** What a block has. The number is that in the file. */
    enum Kind {
        START(1),
        DEFINITIONS(2),
        ENTRIES(3),
        LARGE_ENTRY(4),
        PIECE(5),
        END(6);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }
    }
}

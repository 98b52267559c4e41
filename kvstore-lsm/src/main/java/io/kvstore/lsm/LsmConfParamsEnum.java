package io.kvstore.lsm;

import io.kvstore.data.TableParameter;
import io.kvstore.engine.BlockCodecs;

/** The parameters of {@code LSM} tables. A constant is used as a key of the properties given to {@code createTable}. */
public enum LsmConfParamsEnum {
    /**
     * Bytes of writes gathered in memory before they go to a file, 65,536 to 4 GiB; default 64 MiB. May change while the table
     * is in use. The hash index and the value segments keep the sizes that follow from it until the table is opened next.
     */
    MEM_CACHE_SIZE(TableParameter.wholeNumber("MEM_CACHE_SIZE", 64L << 20, 64L << 10, 4L << 30)
            .online()),
    /** The most entries of a block, 1 or more; a block also ends at 4 KiB. Default 1024. */
    SPARSE_INDEX_SIZE(TableParameter.wholeNumber("SPARSE_INDEX_SIZE", 1024, 1, Integer.MAX_VALUE)),
    /** How often a file may be read for a key it does not hold, between 0 and 1, both exclusive; default 0.01. */
    BLOOM_FILTER_FALSE_POSITIVE_RATE(TableParameter.fraction("BLOOM_FILTER_FALSE_POSITIVE_RATE", 0.01, 0, 1)),
    /**
     * Writes wait while this number of files has not been merged into the sorted levels, 2 to 10,000; default 24. May change
     * while the table is in use.
     */
    MAX_SSTABLES(TableParameter.wholeNumber("MAX_SSTABLES", 24, 2, 10_000).online()),
    /**
     * How blocks of keys, and of values below {@code VALUE_THRESHOLD_BYTES}, are compressed: {@code NONE}, {@code LZ4},
     * {@code ZSTD}, or any {@link io.kvstore.engine.BlockCodec} on the class path; default {@code NONE}. With a codec the
     * default of the threshold is 4,096.
     */
    COMPRESSION(TableParameter.name("COMPRESSION", BlockCodecs.NONE));

    private final TableParameter parameter;

    LsmConfParamsEnum(TableParameter parameter) {
        this.parameter = parameter;
    }

    /** The parameter's name, default and range. */
    public TableParameter parameter() {
        return parameter;
    }
}

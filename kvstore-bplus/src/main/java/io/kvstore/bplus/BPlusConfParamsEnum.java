package io.kvstore.bplus;

import io.kvstore.data.TableParameter;

/** The parameters of {@code BPLUS} tables. A constant is used as a key of the properties given to {@code createTable}. */
public enum BPlusConfParamsEnum {
    /** The most entries of a page, 3 or more; a page also ends when it is full. Default 512. */
    BTREE_ORDER(TableParameter.wholeNumber("BTREE_ORDER", 512, 3, Integer.MAX_VALUE)),
    /**
     * The most memory for pages, in bytes, 32 KiB to 1 TiB; default 64 MiB. In a store in memory the default is half of
     * {@code memoryBytes}, or four times the largest heap if that is less. A table with values that are kept apart takes up to
     * a quarter more for their hash index. May change while the table is in use: pages beyond a smaller size soon go, and their
     * memory goes to others that need it. The hash index keeps its part until the table is opened next.
     */
    BTREE_PAGE_BUFFER_SIZE_BYTES(
            TableParameter.wholeNumber("BTREE_PAGE_BUFFER_SIZE_BYTES", 64L << 20, 32L << 10, 1L << 40)
                    .online());

    private final TableParameter parameter;

    BPlusConfParamsEnum(TableParameter parameter) {
        this.parameter = parameter;
    }

    /** The parameter's name, default and range. */
    public TableParameter parameter() {
        return parameter;
    }
}

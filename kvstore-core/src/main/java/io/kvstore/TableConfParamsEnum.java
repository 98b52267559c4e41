package io.kvstore;

import io.kvstore.data.TableParameter;
import io.kvstore.data.TableProperties;
import java.util.List;

/** The parameters of every table, whatever its engine. Those that {@link Table#alter} may change say so. */
public enum TableConfParamsEnum {
    /**
     * Whether writes go through the log. Without it a crash takes the table back to its last checkpoint. Default true.
     * Temporary tables and tables of a store in memory have no log: there the default is false, and true is refused.
     */
    ENABLE_WAL(TableParameter.flag("ENABLE_WAL", true)),
    /**
     * {@code SYNC} or {@code BUFFERED}. The default is the durability of the store when the table is created. May change while
     * the table is in use, for what begins afterwards.
     */
    DURABILITY(
            TableParameter.choice("DURABILITY", "", List.of("SYNC", "BUFFERED")).online()),
    /**
     * Values of this many bytes and more are kept apart from the index; 0 keeps all values apart. Default 256. {@code BPLUS}
     * tables keep values above 1 KiB apart in any case, {@code HASH} tables all values. {@code LSM} tables that compress have a
     * default of 4,096.
     */
    VALUE_THRESHOLD_BYTES(TableParameter.wholeNumber(TableProperties.VALUE_THRESHOLD_BYTES, 256, 0, Integer.MAX_VALUE)),
    /**
     * Whether the table, with all that is in it, goes when the store is closed, or is opened after a kill. Meant for data that
     * can be made again: the table has no log and makes no checkpoints. A store that is opened read-only does not show it.
     * Default false.
     */
    TEMPORARY(TableParameter.flag(TableProperties.TEMPORARY, false)),
    /**
     * The largest value in bytes. The default is the limit of the store when the table is created. May change while the table
     * is in use. Longer values that the table has then stay, and can be read.
     */
    MAX_VALUE_BYTES(TableParameter.wholeNumber("MAX_VALUE_BYTES", 0, 0, KVStoreOptions.HARD_MAX_VALUE_BYTES)
            .online());

    private final TableParameter parameter;

    TableConfParamsEnum(TableParameter parameter) {
        this.parameter = parameter;
    }

    /** The parameter's name, default and range. */
    public TableParameter parameter() {
        return parameter;
    }
}

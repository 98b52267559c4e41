package io.kvstore;

import io.kvstore.engine.Findings;
import java.util.List;

/**
 * What came back of a damaged store.
 *
 * @param tables every table that was found, in the order of their names
 * @param losses what is damaged or missing, with the keys that it concerns where they are known
 */
public record SalvageReport(List<SalvagedTable> tables, Findings losses) {

    /**
     * A table that was found.
     *
     * @param entries how many came back
     * @param isRead whether the table's files could be read; if not, only what the log has came back
     */
    public record SalvagedTable(String database, String name, String engine, long entries, boolean isRead) {}

    public SalvageReport {
        tables = List.copyOf(tables);
    }

    /** Whether nothing is missing. */
    public boolean isWhole() {
        return losses.total() == 0;
    }
}

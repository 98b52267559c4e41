package io.kvstore.server.metrics;

import io.kvstore.StoreStats;
import io.kvstore.TableStats;
import io.kvstore.engine.EngineStats;
import io.kvstore.wal.LogStats;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Writes the statistics of a store: its memory, log and checkpoints, and the figures of its tables up to a limit. */
public final class EngineGauges {

    /** Tables beyond this number are counted but have no figures of their own, because there would be too many series. */
    private static final int MAX_TABLES = 200;

    private EngineGauges() {}

    /** Writes the figures of one moment. */
    public static void write(StoreStats stats, boolean failed, PrometheusText text) {
        text.gauge("kvstore_store_failed", "1 when the store stopped after an I/O failure.", failed ? 1 : 0);
        text.gauge("kvstore_memory_budget_bytes", "Most off-heap memory of all tables.", stats.memoryBudgetBytes());
        text.metric("kvstore_memory_used_bytes", "gauge", "Memory of all tables, by use.");
        stats.memoryUsedBytes()
                .forEach((use, bytes) -> text.sample(
                        "kvstore_memory_used_bytes", Map.of("use", use.name().toLowerCase(Locale.ROOT)), bytes));
        text.gauge(
                "kvstore_memory_storage_limit_bytes",
                "Most bytes of the files of a store in memory; 0 for a store in a directory.",
                stats.memoryStorageLimitBytes());
        text.gauge("kvstore_memory_storage_used_bytes", "Bytes of those files.", stats.memoryStorageUsedBytes());
        writeLog(stats.log(), text);
        text.counter(
                "kvstore_checkpoints_total",
                "Checkpoints that ended well.",
                stats.checkpoints().count());
        text.gauge(
                "kvstore_checkpoint_last_seconds",
                "Duration of the last checkpoint.",
                stats.checkpoints().lastMillis() / 1e3);
        text.gauge(
                "kvstore_checkpoint_max_seconds",
                "Duration of the longest checkpoint.",
                stats.checkpoints().maxMillis() / 1e3);
        text.gauge("kvstore_open_snapshots", "Open snapshots and cursors.", stats.openSnapshots());
        text.gauge(
                "kvstore_oldest_snapshot_age_seconds",
                "Age of the oldest open snapshot or cursor.",
                stats.oldestSnapshotAgeMillis() / 1e3);
        writeTables(stats.tables(), text);
    }

    private static void writeLog(LogStats log, PrometheusText text) {
        text.counter("kvstore_log_records_total", "Records appended to the log.", log.records());
        text.counter("kvstore_log_bytes_total", "Bytes of those records.", log.recordBytes());
        text.counter("kvstore_log_syncs_total", "Syncs of the log that ended well.", log.syncs());
        text.gauge("kvstore_log_max_sync_seconds", "The longest sync of the log.", log.maxSyncMicros() / 1e6);
        text.gauge("kvstore_log_last_lsn", "The last log sequence number given out.", log.lastLsn());
        text.gauge("kvstore_log_durable_lsn", "The log sequence number up to which all is on disk.", log.durableLsn());
        text.gauge("kvstore_log_segments", "Log segments still needed.", log.segments());
        text.gauge("kvstore_log_segment_bytes", "Size of those segments.", log.segmentBytes());
        text.gauge("kvstore_log_files", "Files of the log, those that are prepared for use included.", log.files());
        text.gauge("kvstore_log_file_bytes", "Size of those files.", log.fileBytes());
        text.gauge("kvstore_log_limit_bytes", "How large they may be together.", log.limitBytes());
    }

    private static void writeTables(List<TableStats> tables, PrometheusText text) {
        text.gauge("kvstore_tables", "Tables.", tables.size());
        List<TableStats> shown = tables.stream().limit(MAX_TABLES).toList();
        text.metric("kvstore_table_failed", "gauge", "1 when the table cannot be used.");
        shown.forEach(table -> text.sample("kvstore_table_failed", labels(table), table.failure() == null ? 0 : 1));
        each("kvstore_table_entries", "Keys with a value, estimated.", shown, EngineStats::entries, text);
        each("kvstore_table_memory_bytes", "Off-heap memory.", shown, EngineStats::memoryBytes, text);
        each("kvstore_table_disk_bytes", "Bytes of the files.", shown, EngineStats::diskBytes, text);
        each(
                "kvstore_table_durable_lsn",
                "Where the files hold every operation.",
                shown,
                EngineStats::durableLsn,
                text);
        writeMeasures(shown, text);
    }

    private static void each(
            String name,
            String help,
            List<TableStats> tables,
            Function<EngineStats, Number> figure,
            PrometheusText text) {
        text.metric(name, "gauge", help);
        for (TableStats table : tables) {
            EngineStats engine = table.engine();
            if (engine != null) {
                text.sample(name, labels(table), figure.apply(engine));
            }
        }
    }

    /** Writes the measures that only some engines have. Measures of the same name are one metric, whichever engine has them. */
    private static void writeMeasures(List<TableStats> tables, PrometheusText text) {
        Map<String, Map<TableStats, EngineStats.Measure>> byName = new LinkedHashMap<>();
        for (TableStats table : tables) {
            EngineStats engine = table.engine();
            for (EngineStats.Measure measure : engine == null ? List.<EngineStats.Measure>of() : engine.measures()) {
                byName.computeIfAbsent(measure.name(), name -> new LinkedHashMap<>())
                        .put(table, measure);
            }
        }
        byName.forEach((name, samples) -> {
            String metric = "kvstore_engine_" + name;
            text.metric(metric, "gauge", samples.values().iterator().next().help());
            samples.forEach((table, measure) -> text.sample(metric, labels(table), measure.value()));
        });
    }

    private static Map<String, String> labels(TableStats table) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("database", table.database());
        labels.put("table", table.table());
        labels.put("engine", table.engineName().toLowerCase(Locale.ROOT));
        return labels;
    }
}

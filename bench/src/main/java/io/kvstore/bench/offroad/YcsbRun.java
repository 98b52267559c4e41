package io.kvstore.bench.offroad;

import io.kvstore.bench.measure.Figures;
import io.kvstore.bench.measure.ThreadShares;
import io.kvstore.bench.store.Contender;
import io.kvstore.bench.store.Crowd;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import site.ycsb.Workload;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * A core workload of YCSB, with YCSB's own choice of keys, operations and values: 1 KB in ten fields. The threads load the
 * records and then do the measured operations.
 *
 * @param contender the store
 * @param row the row, whose name ends with the letter of the workload
 */
record YcsbRun(Contender contender, Row row) {

    /** The parts of the operations that read, update, insert, scan, or read and update; and the distribution of keys. */
    private enum Letter {
        A("0.5 0.5 0 0 0", "zipfian"),
        B("0.95 0.05 0 0 0", "zipfian"),
        C("1 0 0 0 0", "zipfian"),
        D("0.95 0 0.05 0 0", "latest"),
        E("0 0 0.05 0.95 0", "zipfian"),
        F("0.5 0 0 0 0.5", "zipfian");

        private static final List<String> SHARES = List.of(
                CoreWorkload.READ_PROPORTION_PROPERTY,
                CoreWorkload.UPDATE_PROPORTION_PROPERTY,
                CoreWorkload.INSERT_PROPORTION_PROPERTY,
                CoreWorkload.SCAN_PROPORTION_PROPERTY,
                CoreWorkload.READMODIFYWRITE_PROPORTION_PROPERTY);

        private final String shares;
        private final String keys;

        Letter(String shares, String keys) {
            this.shares = shares;
            this.keys = keys;
        }

        Properties properties() {
            Properties properties = new Properties();
            List<String> parts = List.of(shares.split(" ", -1));
            for (int i = 0; i < SHARES.size(); i++) {
                properties.setProperty(SHARES.get(i), parts.get(i));
            }
            properties.setProperty(CoreWorkload.REQUEST_DISTRIBUTION_PROPERTY, keys);
            return properties;
        }
    }

    Figures run() throws Exception {
        String name = row.name();
        Letter letter = Letter.valueOf(name.substring(name.length() - 1).toUpperCase(Locale.ROOT));
        Properties properties = letter.properties();
        properties.setProperty("recordcount", Long.toString(row.entries()));
        properties.setProperty("operationcount", Long.toString(row.operations()));
        Measurements.setProperties(properties);
        Workload workload = new CoreWorkload();
        workload.init(properties);
        work(workload, properties, row.entries(), workload::doInsert);
        try (ThreadShares shares = new ThreadShares(Crowd.NAME)) {
            Crowd.Done done = work(workload, properties, row.operations(), workload::doTransaction);
            workload.cleanup();
            return Figures.of(done.latencies(), done.seconds()).and(shares.figures());
        }
    }

    /** Either half of a workload. */
    @FunctionalInterface
    private interface Half {
        boolean step(site.ycsb.DB store, Object state);
    }

    private Crowd.Done work(Workload workload, Properties properties, long operations, Half half) throws Exception {
        return new Crowd(row.threads()).work(operations, Long.MAX_VALUE, thread -> {
            YcsbSession session = new YcsbSession(contender.session());
            Object state = workload.initThread(properties, thread, row.threads());
            return new Crowd.Steps() {
                @Override
                public void step(long number) {
                    if (!half.step(session, state)) {
                        throw new IllegalStateException("YCSB's operation " + number + " failed");
                    }
                }

                @Override
                public void close() {
                    session.cleanup();
                }
            };
        });
    }
}

package io.kvstore.bench.offroad;

import io.kvstore.bench.store.Case.Work;
import io.kvstore.bench.store.ContenderKind;
import io.kvstore.bench.store.Logging;
import io.kvstore.bench.store.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One row of the off-road set.
 *
 * @param name its name in the command line and in the report
 * @param course what is done
 * @param work the operations that are measured
 * @param shape the form of entries
 * @param entries the number of entries that are loaded
 * @param operations the number of operations that are measured
 * @param threads the number of threads that do them
 * @param targets the ratios to be reached
 */
record Row(
        String name,
        Course course,
        Work work,
        Shape shape,
        long entries,
        long operations,
        int threads,
        List<Target> targets) {

    /** What is done with a store. */
    enum Course {
        /** One thread loads the store; at once the measured work begins. */
        AFTER_LOAD(Logging.OFF),
        /** The store is a queue, and stays as long as it was loaded. */
        QUEUE(Logging.OFF),
        /** One thread overwrites entries as fast as it can, and the others do the measured work. */
        BESIDE_WRITER(Logging.OFF),
        /** Nine of ten entries are removed after the load; at once the measured work begins. */
        AFTER_REMOVAL(Logging.OFF),
        /** Puts, and gets and scans after rest, compared with the same row of fewer entries. */
        SETTLED(Logging.OFF),
        /** Nine of ten entries are removed after the load; the disk after some rest, and the time to close, are measured. */
        SPACE(Logging.OFF),
        /** A core workload of YCSB, whose letter ends the row's name, with a log that survives the process. */
        YCSB(Logging.BUFFERED);

        private final Logging logging;

        Course(Logging logging) {
            this.logging = logging;
        }

        Logging logging() {
            return logging;
        }
    }

    private static final long MILLION = 1_000_000;
    private static final long PAGES = 300_000;
    private static final long PICTURES = 20_000;
    private static final int CROWD = 4;

    /** Entries, and what is done with them after the load. */
    private record Size(Shape shape, long entries, long operations, int threads) {}

    static final List<Row> ALL = all();

    private static List<Row> all() {
        List<Row> rows = new ArrayList<>();
        rows.addAll(sizes("first-get", Work.GET, new Target[] {
            Target.better(2.0, 1.2), Target.better(1.2, 0.8), Target.better(1.2, 0.8)
        }));
        rows.add(afterLoad(
                "first-scan", Work.SCAN, new Size(Shape.WIDE, 5 * MILLION, 60_000, 1), Target.better(1.2, 1.0)));
        rows.addAll(sizes("get-put", Work.GET_AND_PUT, new Target[] {
            Target.better(2.0, 1.3), Target.better(2.0, 1.3), Target.better(1.0, 0.8)
        }));
        rows.addAll(sizes("put-hot", Work.PUT_HOT, new Target[] {
            Target.better(3.0, 2.5), Target.better(2.0, 1.5), Target.better(1.2, 1.0)
        }));
        rows.add(new Row(
                "queue", Course.QUEUE, Work.QUEUE, Shape.WIDE, 20_000, MILLION / 2, 1, each(0.7, 0.4, 0.7, 0.2)));
        rows.add(new Row(
                "scan-beside-writer",
                Course.BESIDE_WRITER,
                Work.SCAN,
                Shape.WIDE,
                MILLION,
                20_000,
                1,
                each(1.0, 0.4, 1.0, 0.7)));
        rows.add(new Row(
                "scan-removed",
                Course.AFTER_REMOVAL,
                Work.SCAN,
                Shape.WIDE,
                MILLION,
                20_000,
                1,
                List.of(Target.better(1.2, 0.8))));
        rows.add(afterLoad(
                "first-mixed", Work.MIXED, new Size(Shape.WIDE, 5 * MILLION, 3 * MILLION, 1), Target.better(4.0, 3.0)));
        for (long millions : new long[] {5, 20}) {
            rows.add(new Row(
                    "settled-" + millions + "m",
                    Course.SETTLED,
                    Work.GET,
                    Shape.WIDE,
                    millions * MILLION,
                    MILLION,
                    1,
                    List.of()));
        }
        rows.add(new Row("space-removed", Course.SPACE, Work.REMOVE, Shape.WIDE, MILLION, MILLION, 1, List.of()));
        for (char letter = 'a'; letter <= 'f'; letter++) {
            rows.add(ycsb("ycsb-" + letter, MILLION / 2, Target.better(1.5, 1.0)));
        }
        for (char letter = 'a'; letter <= 'f'; letter++) {
            boolean scans = letter == 'e';
            rows.add(ycsb(
                    "ycsb-long-" + letter,
                    scans ? 400_000 : 4 * MILLION,
                    scans ? Target.better(2.0, 1.3) : Target.better(2.5, 1.8)));
        }
        return List.copyOf(rows);
    }

    /** The row for values of three sizes. */
    private static List<Row> sizes(String name, Work work, Target[] targets) {
        return List.of(
                afterLoad(name + "-500", work, new Size(Shape.WIDE, MILLION, MILLION, 1), targets[0]),
                afterLoad(name + "-4k", work, new Size(Shape.PAGE, PAGES, PAGES, CROWD), targets[1]),
                afterLoad(name + "-64k", work, new Size(Shape.PICTURE, PICTURES, PICTURES, 1), targets[2]));
    }

    private static Row afterLoad(String name, Work work, Size size, Target target) {
        return new Row(
                name,
                Course.AFTER_LOAD,
                work,
                size.shape,
                size.entries,
                size.operations,
                size.threads,
                List.of(target));
    }

    private static Row ycsb(String name, long operations, Target target) {
        return new Row(name, Course.YCSB, Work.MIXED, Shape.WIDE, MILLION / 2, operations, CROWD, List.of(target));
    }

    private static List<Target> each(double bplus, double bplusFloor, double lsm, double lsmFloor) {
        return List.of(
                Target.of(ContenderKind.KVSTORE_BPLUS, bplus, bplusFloor),
                Target.of(ContenderKind.KVSTORE_LSM, lsm, lsmFloor));
    }

    /** The row of a name. */
    static Row named(String name) {
        return ALL.stream()
                .filter(row -> row.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no row " + name));
    }

    /** The row with less work. */
    Row part(int part) {
        return part == 1
                ? this
                : new Row(
                        name,
                        course,
                        work,
                        shape,
                        Math.max(1, entries / part),
                        Math.max(1, operations / part),
                        threads,
                        targets);
    }

    /** Whether a store takes part. YCSB's requests are compared with RocksDB, and growth with the own store. */
    boolean has(ContenderKind kind) {
        return switch (kind) {
            case KVSTORE_BPLUS, KVSTORE_LSM -> true;
            case KVSTORE_HASH -> false;
            case ROCKSDB_LEVELED -> course != Course.SETTLED;
            case LMDB -> course != Course.SETTLED && course != Course.YCSB;
            case ROCKSDB_UNIVERSAL, ROCKSDB_BLOB, ROCKSDB_UNORDERED, ROCKSDB_MMAP, MVSTORE, CHRONICLE, LIMIT, DEVICE ->
                false;
        };
    }

    /** The row in words, for the head of the report. */
    String title() {
        return String.format(
                Locale.ROOT,
                "- %s: %,d entries of %s, %,d operations, %d thread%s",
                name,
                entries,
                course == Course.YCSB ? "1 KB in ten fields" : shape.keyBytes() + " + " + shape.valueBytes() + " bytes",
                operations,
                threads,
                threads == 1 ? "" : "s");
    }
}

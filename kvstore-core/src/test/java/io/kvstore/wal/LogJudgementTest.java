package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.error.CorruptionException;
import io.kvstore.error.StorageException;
import io.kvstore.testkit.ScriptCommand;
import io.kvstore.testkit.ScriptContract;
import io.kvstore.testkit.SimStorage;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.StoreId;
import io.kvstore.wal.segment.LogConfig.Landing;
import io.kvstore.wal.segment.SegmentPool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The judgement of a log when it is opened. {@code segment ID} writes a segment whose frames stand below it; {@link
 * SegmentText} has their form. Segment 1 begins a new log. {@code open} judges and opens the log, and may be repeated; {@code
 * judge} only judges. The tables need the records above {@code held} only, and table 7 those above {@code held7}.
 */
final class LogJudgementTest extends ScriptContract {

    @Override
    protected String subject() {
        return "log";
    }

    @Override
    protected Commands begin() throws IOException {
        return new Logs();
    }

    /** Up to these lsns, tables hold records in files of their own. */
    private static Held lsns(long byAll, long by7) {
        return new Held(tableId -> tableId == LogBench.TABLE ? by7 : byAll, byAll);
    }

    private static final class Logs implements Commands {

        private static final int SEGMENT_BYTES = 8 << 10;

        private final LogBench bench = new LogBench(new SimStorage(), Landing.STAGED);
        private final SimStorage disk = bench.disk;
        private final Map<Long, SegmentText> written = new HashMap<>();

        Logs() throws IOException {
            disk.createDirectory("wal");
        }

        @Override
        public String run(ScriptCommand command) throws IOException {
            return switch (command.name()) {
                case "segment" -> segment(command);
                case "delete" -> {
                    disk.delete(pathOf(command));
                    yield "";
                }
                case "judge", "open" -> judge(command);
                default -> throw command.unknown();
            };
        }

        private String pathOf(ScriptCommand command) {
            return SegmentPool.pathOf(
                    bench.config, Long.parseLong(command.words().getFirst()));
        }

        private String segment(ScriptCommand command) throws IOException {
            String path = pathOf(command);
            long id = Long.parseLong(command.words().getFirst());
            if (id == 1) {
                clear();
            }
            long before = command.number("after", id - 1);
            SegmentText previous = written.get(before);
            int end = previous == null ? 0 : previous.end();
            long lastLsn = previous == null ? 0 : previous.lastLsn();
            StoreId store = command.text("store", "own").equals("own") ? LogBench.STORE : new StoreId(8, 8);
            SegmentText segment = new SegmentText(
                    new LogFormat.SegmentHeader(
                            id, store, before, command.number("end", end), lastLsn + 1, SEGMENT_BYTES),
                    lastLsn);
            command.body().forEach(segment::add);
            written.put(id, segment);
            byte[] bytes = withHead(segment.bytes(), command.text("head", "whole"));
            disk.delete(path);
            disk.create(path).close();
            disk.replace(path, Arrays.copyOf(bytes, (int) command.number("cut_to", SEGMENT_BYTES)));
            return String.join("\n", segment.places());
        }

        private void clear() throws IOException {
            for (String name : disk.list("wal")) {
                disk.delete("wal/" + name);
            }
            written.clear();
        }

        private static byte[] withHead(byte[] bytes, String state) {
            switch (state) {
                case "whole" -> {
                    // as it was written
                }
                case "damaged" -> bytes[20] ^= 1;
                case "zero" -> Arrays.fill(bytes, 0, LogFormat.SEGMENT_HEADER_BYTES, (byte) 0);
                case "newer" -> NewerHead.write(bytes);
                default -> throw new IllegalArgumentException("a head is not " + state);
            }
            return bytes;
        }

        private String judge(ScriptCommand command) throws IOException {
            long held = command.number("held", 0);
            Held lsns = lsns(held, command.number("held7", held));
            long needed = command.number("needed", 1);
            long known = command.number("known", needed);
            Map<String, Integer> before = contents();
            try {
                LogRecovery recovery = LogRecovery.scan(bench.config, needed, known, lsns, table -> {});
                assertEquals(before, contents(), "a judgement changed the log");
                return told(recovery) + (command.name().equals("open") ? "\n" + opened(recovery) : "");
            } catch (CorruptionException | StorageException e) {
                assertEquals(before, contents(), "a refused log was changed");
                return "refused: " + String.valueOf(e.getMessage()).split("[.;] [A-Zor]", 2)[0];
            }
        }

        private static String told(LogRecovery recovery) {
            List<String> lines = new ArrayList<>();
            lines.add(recovery.records() + " records, the last is " + recovery.lastLsn() + ", known up to "
                    + recovery.knownLsn());
            lines.add(recovery.tornBytes() + " bytes are cut off");
            lines.addAll(recovery.damages());
            return String.join("\n", lines);
        }

        private String opened(LogRecovery recovery) throws IOException {
            List<String> replayed = new ArrayList<>();
            WriteAheadLog log = recovery.open(0);
            recovery.replay((lsn, operation) -> replayed.add(Long.toString(lsn)));
            recovery.deleteDead();
            log.close();
            String segments = disk.list("wal").stream()
                    .sorted()
                    .map(name -> Long.toString(Long.parseLong(name.substring(0, name.indexOf('.')))))
                    .collect(Collectors.joining(" "));
            return "replayed " + String.join(" ", replayed) + "\nsegments " + segments;
        }

        private Map<String, Integer> contents() throws IOException {
            Map<String, Integer> contents = new HashMap<>();
            for (String path : disk.files()) {
                contents.put(path, Arrays.hashCode(disk.bytes(path)));
            }
            return contents;
        }

        @Override
        public void close() {
            bench.background.close();
            assertEquals(0, disk.openResources(), "files are open");
        }
    }
}

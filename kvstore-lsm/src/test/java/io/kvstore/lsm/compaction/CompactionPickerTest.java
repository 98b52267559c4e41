package io.kvstore.lsm.compaction;

import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.testkit.ScriptCommand;
import io.kvstore.testkit.ScriptContract;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which compaction is chosen. Below a command stand the levels, as {@code L0: 4:a-z:9 3:a-f:9}: files are {@code
 * number:first-last:kilobytes}. Behind that may stand {@code t} and the number of tombstones among the 100 entries of the
 * file, {@code @} and the lsn of its oldest entry (else 1), and {@code !} if it is damaged.
 */
final class CompactionPickerTest extends ScriptContract {

    private static final Pattern FILE = Pattern.compile("(\\d+):(\\w+)-(\\w+):(\\d+)(?:t(\\d+))?(?:@(\\d+))?(!?)");
    private static final long ENTRIES = 100;

    @Override
    protected String subject() {
        return "compaction";
    }

    @Override
    protected Commands begin() {
        return new Picks();
    }

    private static final class Picks implements Commands {

        private final Set<Long> damaged = new HashSet<>();
        private LsmOptions options = options(24);

        private static LsmOptions options(long maxLevel0Files) {
            return new LsmOptions(
                    1 << 20, 1024, 0.01, (int) maxLevel0Files, 256, null, LsmOptions.usualSlackBytes(1 << 20));
        }

        @Override
        public String run(ScriptCommand command) {
            damaged.clear();
            List<List<SsTableInfo>> levels = levels(command.body());
            CompactionPicker picker = new CompactionPicker(() -> options, damaged::contains);
            return switch (command.name()) {
                case "table" -> {
                    options = options(command.number("max_level0", 24));
                    yield limits();
                }
                case "pick" -> text(picker.pick(levels, (int) command.number("trigger", options.level0Trigger())));
                case "step" -> text(picker.of(levels, (int) command.number("level", 0)));
                case "full" ->
                    text(picker.pickFull(
                            levels, command.number("done", Long.MAX_VALUE), command.number("lsn", Long.MAX_VALUE)));
                case "urgent" -> Boolean.toString(picker.isLevel0Urgent(levels));
                default -> throw command.unknown();
            };
        }

        private String limits() {
            return String.format(
                    Locale.ROOT,
                    "L0 %d files, L1 %d KiB, L2 %d KiB, L3 %d KiB",
                    options.level0Trigger(),
                    options.levelBytes(1) >> 10,
                    options.levelBytes(2) >> 10,
                    options.levelBytes(3) >> 10);
        }

        private List<List<SsTableInfo>> levels(List<String> lines) {
            List<List<SsTableInfo>> levels = new ArrayList<>();
            for (int level = 0; level < LsmOptions.LEVELS; level++) {
                levels.add(new ArrayList<>());
            }
            for (String line : lines) {
                String[] parts = line.strip().split("[: ]+", 2);
                int level = Integer.parseInt(parts[0].substring(1));
                for (String file : parts[1].split(" +", -1)) {
                    levels.get(level).add(file(file));
                }
            }
            return levels;
        }

        private SsTableInfo file(String text) {
            Matcher file = FILE.matcher(text);
            if (!file.matches()) {
                throw new IllegalArgumentException("no file: " + text);
            }
            long number = Long.parseLong(file.group(1));
            if (!file.group(7).isEmpty()) {
                damaged.add(number);
            }
            long minLsn = number(file.group(6), 1);
            return new SsTableInfo(
                    number,
                    Long.parseLong(file.group(4)) << 10,
                    0,
                    ENTRIES,
                    number(file.group(5), 0),
                    minLsn,
                    minLsn + 1,
                    file.group(2).getBytes(StandardCharsets.UTF_8),
                    file.group(3).getBytes(StandardCharsets.UTF_8));
        }

        private static long number(@Nullable String text, long otherwise) {
            return text == null ? otherwise : Long.parseLong(text);
        }

        private static String text(CompactionPicker.@Nullable Choice choice) {
            if (choice == null) {
                return "nothing";
            }
            return String.format(
                    Locale.ROOT,
                    "L%d %s%s -> L%d, %s %d KiB",
                    choice.level(),
                    numbers(choice.upper()),
                    choice.lower().isEmpty() ? "" : " + " + numbers(choice.lower()),
                    choice.outputLevel(),
                    choice.isMove() ? "moves" : "merges",
                    choice.bytes() >> 10);
        }

        private static String numbers(List<SsTableInfo> files) {
            return files.stream().map(file -> Long.toString(file.number())).collect(Collectors.joining(" "));
        }
    }
}

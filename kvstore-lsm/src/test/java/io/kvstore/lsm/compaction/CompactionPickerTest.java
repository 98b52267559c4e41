package io.kvstore.lsm.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.sstable.SsTableInfo;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * Levels are written as text: files are {@code number:first-last:kilobytes}, with a {@code t} behind if one of its 100 entries
 * is a tombstone, or a {@code t} and the number of them.
 */
final class CompactionPickerTest {

    private final LsmOptions options =
            new LsmOptions(1 << 20, 1024, 0.01, 24, 256, null, LsmOptions.usualSlackBytes(1 << 20));
    private final CompactionPicker picker = new CompactionPicker(options, number -> false);

    private static List<List<SsTableInfo>> levels(String... texts) {
        List<List<SsTableInfo>> levels = new ArrayList<>();
        for (int level = 0; level < LsmOptions.LEVELS; level++) {
            levels.add(new ArrayList<>());
        }
        for (int level = 0; level < texts.length; level++) {
            for (String text : texts[level].strip().split(" +", -1)) {
                if (!text.isEmpty()) {
                    levels.get(level).add(file(text));
                }
            }
        }
        return levels;
    }

    private static SsTableInfo file(String text) {
        String[] parts = text.split("[:-]", -1);
        String[] size = parts[3].split("t", -1);
        long bytes = Long.parseLong(size[0]) << 10;
        long tombstones = size.length == 1 ? 0 : size[1].isEmpty() ? 1 : Long.parseLong(size[1]);
        return new SsTableInfo(
                Long.parseLong(parts[0]),
                bytes,
                0,
                100,
                tombstones,
                1,
                2,
                parts[1].getBytes(StandardCharsets.UTF_8),
                parts[2].getBytes(StandardCharsets.UTF_8));
    }

    private static String text(CompactionPicker.Choice choice) {
        return String.format(
                Locale.ROOT,
                "%d->%d %s + %s%s",
                choice.level(),
                choice.outputLevel(),
                numbers(choice.upper()),
                numbers(choice.lower()),
                choice.isMove() ? " move" : "");
    }

    private static List<Long> numbers(List<SsTableInfo> files) {
        return files.stream().map(SsTableInfo::number).toList();
    }

    private String pick(String... texts) {
        CompactionPicker.Choice choice = picker.pick(levels(texts), options.level0Trigger());
        return choice == null ? "nothing" : text(choice);
    }

    @Test
    void level_0_is_due_with_four_files_and_takes_all_of_them() {
        assertEquals("nothing", pick(""));
        assertEquals("nothing", pick("3:a-z:999 2:a-z:999 1:a-z:999"));
        assertEquals("0->1 [4, 3, 2, 1] + []", pick("4:a-z:9 3:a-z:9 2:a-z:9 1:a-z:9"));
        assertEquals(
                "0->1 [9, 8, 7, 6] + [2, 3]",
                pick("9:c-d:9 8:e-f:9 7:c-c:9 6:d-d:9", "1:a-b:9 2:b-c:9 3:f-g:9 4:g-h:9"));
    }

    @Test
    void files_that_touch_nothing_are_moved_unless_they_have_tombstones() {
        assertEquals("0->1 [4, 3, 2, 1] + [] move", pick("4:g-h:9 3:e-f:9 2:c-d:9 1:a-b:9"));
        assertEquals("0->1 [4, 3, 2, 1] + []", pick("4:g-h:9 3:e-f:9t 2:c-d:9 1:a-b:9"));
        assertEquals("0->1 [4, 3, 2, 1] + []", pick("4:g-h:9 3:e-f:9 2:c-d:9 1:a-c:9"));
        assertEquals("0->1 [4, 3, 2, 1] + [7]", pick("4:g-h:9 3:e-f:9 2:c-d:9 1:a-b:9", "7:d-e:9"));
        assertEquals("1->2 [1] + [] move", pick("", "1:a-b:5000", "7:d-e:9"));
    }

    @Test
    void deeper_levels_are_due_by_their_bytes_each_eight_times_the_one_above() {
        assertEquals("nothing", pick("", "1:a-b:2048 2:c-d:2048"));
        assertEquals("1->2 [1] + [3]", pick("", "1:a-b:2048 2:c-d:2049", "3:b-b:1 4:c-d:100"));
        assertEquals("nothing", pick("", "", "1:a-b:32768"));
        assertEquals("2->3 [1] + [] move", pick("", "", "1:a-b:32769"));
        assertEquals("nothing", pick("", "", "", "", "", "", "1:a-b:999999999"));
    }

    @Test
    void the_level_most_beyond_its_target_is_first() {
        String level0 = "4:a-z:9 3:a-z:9 2:a-z:9 1:a-z:9";
        assertEquals("0->1 [4, 3, 2, 1] + [5]", pick(level0, "5:a-b:4096"));
        assertEquals("1->2 [5] + [] move", pick(level0, "5:a-b:4097"));
        assertEquals("0->1 [6, 5, 4, 3, 2, 1] + [7]", pick("6:a-z:9 5:a-z:9 " + level0, "7:a-b:4500"));
    }

    @Test
    void tombstones_go_down_when_they_may_remove_more_than_a_quarter() {
        assertEquals("nothing", pick("1:a-z:9t40", "2:a-z:9"));
        assertEquals("0->1 [1] + [2]", pick("1:a-z:9t41", "2:a-z:9"));
        assertEquals("0->1 [2, 1] + []", pick("2:a-z:9t100 1:a-z:9"));
        assertEquals("nothing", pick("", "2:a-c:9t12 3:d-f:9t13", "4:b-e:9"));
        assertEquals("1->2 [3] + [4]", pick("", "2:a-c:9t12 3:d-f:9t14", "4:b-e:9"));
        assertEquals("nothing", pick("", "", "4:b-e:9t100"));
    }

    @Test
    void the_file_with_the_least_overlap_is_taken() {
        assertEquals(
                "1->2 [2] + [12]", pick("", "1:a-c:2000 2:d-f:2000 3:g-i:2000", "11:a-b:3000 12:e-f:1000 13:g-h:1001"));
        assertEquals("1->2 [1] + [11]", pick("", "1:a-c:4000 2:d-f:1000", "11:a-b:1000 12:e-f:500"));
    }

    @Test
    void full_compaction_ends_with_one_level_without_old_tombstones() {
        List<List<SsTableInfo>> levels = levels("9:a-z:9", "1:a-b:9 2:c-d:9", "", "3:a-a:9 4:x-y:9t");
        CompactionPicker.Choice choice = picker.pickFull(levels, 9, Long.MAX_VALUE);
        assertNotNull(choice);
        assertEquals("0->1 [9] + [1, 2]", text(choice));
        choice = picker.pickFull(levels("", "1:a-b:9 2:c-d:9", "", "3:a-a:9 4:x-y:9t"), 9, Long.MAX_VALUE);
        assertNotNull(choice);
        assertEquals("1->2 [1] + [] move", text(choice));
        choice = picker.pickFull(levels("", "", "1:a-b:9", "3:a-a:9"), 9, Long.MAX_VALUE);
        assertNotNull(choice);
        assertEquals("2->3 [1] + [3]", text(choice));
        choice = picker.pickFull(levels("", "", "", "3:a-a:9 4:x-y:9t"), 9, Long.MAX_VALUE);
        assertNotNull(choice);
        assertEquals("3->3 [4] + []", text(choice));
        assertFalse(choice.isMove());
        assertNull(picker.pickFull(levels("", "", "", "3:a-a:9 10:x-y:9t"), 9, Long.MAX_VALUE));
        assertNull(picker.pickFull(levels(""), 9, Long.MAX_VALUE));
        assertNotNull(picker.pickFull(levels("1:a-b:9"), 9, Long.MAX_VALUE));
    }

    /** Whatever the files are, a choice is closed: nothing of the output level is left out that overlaps it. */
    @Test
    void choice_takes_all_that_overlaps() {
        List<List<SsTableInfo>> levels = levels("8:a-c:9 7:m-q:9 6:b-d:9 5:x-z:9", "1:a-a:9 2:d-l:9 3:m-m:9 4:za-zb:9");
        CompactionPicker.Choice choice = picker.pick(levels, options.level0Trigger());
        assertNotNull(choice);
        List<SsTableInfo> rest = new ArrayList<>(levels.get(1));
        rest.removeAll(choice.lower());
        for (SsTableInfo left : rest) {
            assertTrue(choice.upper().stream().noneMatch(left::overlaps));
        }
        assertEquals(List.of(1L, 2L, 3L), numbers(choice.lower()));
    }

    @Test
    void few_files_are_enough_when_writes_stop_early() {
        CompactionPicker eager = new CompactionPicker(
                new LsmOptions(1 << 20, 1024, 0.01, 2, 256, null, LsmOptions.usualSlackBytes(1 << 20)),
                number -> false);
        CompactionPicker.Choice choice = eager.pick(levels("2:a-z:9 1:a-z:9"), 2);
        assertNotNull(choice);
        assertEquals("0->1 [2, 1] + []", text(choice));
    }
}

package io.kvstore.hash;

import static io.kvstore.testkit.DamagedCopies.copy;
import static io.kvstore.testkit.DamagedCopies.flip;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Salvage;
import io.kvstore.SalvageReport;
import io.kvstore.StoreCheck;
import io.kvstore.engine.Progress;
import io.kvstore.testkit.DamagedCopies.Salvaged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What comes back of a hash table whose index file is lost or damaged. */
final class HashIndexLossTest extends DamagedHashTable {

    @Test
    void the_files_are_as_the_tests_need_them() throws IOException {
        assertTrue(blocks(PAGE).size() > 10, "pages");
        assertTrue(blocks(CHANGES).size() > 1, "changes");
        assertTrue(blocks(COMMIT).size() > 2, "commits");
        assertTrue(files(sound(), ".val").size() > 5, "segments");
        assertEquals(List.of(), StoreCheck.run(sound()).kept());
        SalvageReport report = Salvage.run(sound(), temp.resolve("whole"), Progress.NONE);
        assertTrue(report.isWhole());
        assertEquals(
                versions.size() - removed().size(), report.tables().getLast().entries());
    }

    @Test
    void without_the_index_file_each_key_has_its_newest_value_and_removed_ones_may_be_back() throws IOException {
        Path damaged = damagedCopy();
        Files.delete(index(damaged));
        Salvaged salvaged = salvage(damaged);
        Set<String> back = requireNewest(salvaged);
        assertTrue(back.containsAll(removedLast), () -> back + " are back");
        assertTrue(
                salvaged.losses()
                        .contains("of " + salvaged.entries().size() + " keys, those that were removed may be back"),
                salvaged.losses());
        assertTrue(salvaged.report().tables().getLast().isRead());
    }

    @Test
    void a_damaged_page_puts_the_keys_in_doubt_whose_hashes_it_has() throws IOException {
        List<Block> pages = blocks(PAGE);
        Block lost = pages.get(pages.size() / 2);
        Path damaged = damagedCopy();
        flip(index(damaged), (lost.offset() + lost.end()) / 2);
        Salvaged salvaged = salvage(damaged);
        Set<String> back = requireNewest(salvaged);
        assertTrue(named(salvaged).containsAll(back), () -> back + " are back:\n" + salvaged.losses());
        long named = named(salvaged).size();
        long inPage = (lost.end() - lost.offset()) / 12;
        assertTrue(named > 0 && named <= 2 * inPage, named + " named, " + inPage + " in the page");
        assertTrue(salvaged.losses().contains("; " + named + " of them may have an older value"), salvaged.losses());
    }

    @Test
    void damaged_changes_put_removals_in_doubt_that_they_may_have() throws IOException {
        Block lost = blocks(CHANGES).getLast();
        Path damaged = damagedCopy();
        flip(index(damaged), lost.offset() + 40);
        Salvaged salvaged = salvage(damaged);
        Set<String> back = requireNewest(salvaged);
        assertEquals(removedLast, back);
        assertTrue(salvaged.losses().contains("changes lost at most"), salvaged.losses());
    }

    @Test
    void damaged_changes_that_moved_values_cost_nothing() throws IOException {
        Block lost = mostMoves();
        Path damaged = damagedCopy();
        flip(index(damaged), lost.offset() + 40);
        Salvaged salvaged = salvage(damaged);
        assertEquals(Set.of(), requireNewest(salvaged), salvaged::losses);
    }

    /** Puts back segments that were emptied since the index file was written anew. Returns how many. */
    private int putBackSegments(Path damaged) throws IOException {
        return putBackSegments(before(), damaged);
    }

    @Test
    void a_value_that_lost_changes_moved_and_whole_ones_removed_does_not_come_back() throws IOException {
        List<Block> changes = blocks(CHANGES);
        for (Block lost : changes.subList(0, changes.size() - 1)) {
            Path damaged = damagedCopy();
            assertTrue(putBackSegments(damaged) > 0);
            flip(index(damaged), lost.offset() + 40);
            Salvaged salvaged = salvage(damaged);
            Set<String> back = requireNewest(salvaged);
            for (String key : back) {
                assertTrue(hasRecord(key), () -> key + " is back from a segment that no commit lists");
            }
            back.retainAll(removedLast);
            assertEquals(Set.of(), back, salvaged::losses);
        }
    }

    /** The newest commit would say that the segment was emptied from which the value was moved. */
    @Test
    void a_removed_value_does_not_come_back_where_neither_its_move_nor_the_newest_commit_is_known() throws IOException {
        List<Block> moves = moves();
        for (int i = 0; i < 2; i++) {
            String key = key(1_151 + 2_000 * i);
            Path damaged = damagedCopy();
            assertTrue(putBackSegments(damaged) > 0);
            assertFalse(placesOf(damaged, valuesOf(key).getFirst()).isEmpty());
            flip(index(damaged), moves.get(i).offset() + 40);
            flip(index(damaged), blocks(COMMIT).getLast().offset() + 30);
            Salvaged salvaged = salvage(damaged);
            assertFalse(requireNewest(salvaged).contains(key), salvaged::losses);
        }
    }

    /** Whether a segment that the newest commit lists has a value of a key. */
    private boolean hasRecord(String key) throws IOException {
        boolean isThere = false;
        for (byte[] value : valuesOf(key)) {
            isThere |= value.length > 0 && !placesOf(sound(), value).isEmpty();
        }
        return isThere;
    }

    @Test
    void a_value_that_lost_changes_removed_does_not_come_back_if_its_segment_was_emptied() throws IOException {
        List<Block> moves = moves();
        assertFalse(moves.isEmpty());
        for (Block lost : moves) {
            for (boolean isBack : new boolean[] {true, false}) {
                Path damaged = damagedCopy();
                assertTrue(!isBack || putBackSegments(damaged) > 0);
                flip(index(damaged), lost.offset() + 40);
                Salvaged salvaged = salvage(damaged);
                assertEquals(Set.of(), requireNewest(salvaged), salvaged::losses);
                assertFalse(salvaged.losses().contains("the segment of an entry is missing"), salvaged.losses());
            }
        }
    }

    /** No whole block says of the older one that it was replaced. */
    @Test
    void a_named_value_that_is_damaged_does_not_give_way_to_an_older_one() throws IOException {
        String key = key(6);
        List<byte[]> values = valuesOf(key);
        assertEquals(2, values.size());
        Path damaged = damagedCopy();
        assertTrue(putBackSegments(first(), damaged) > 0);
        assertFalse(placesOf(damaged, values.getFirst()).isEmpty());
        damage(damaged, values.getLast());
        flip(index(damaged), blocks(CHANGES).getLast().offset() + 40);
        Salvaged salvaged = salvage(damaged);
        assertFalse(salvaged.entries().containsKey(key), salvaged::losses);
    }

    /** A crash leaves any of the blocks that it interrupted. */
    @Test
    void what_is_torn_behind_the_newest_commit_is_no_damage() throws IOException {
        Path torn = temp.resolve("torn");
        copy(middle(), torn);
        byte[] later = Files.readAllBytes(index(sound()));
        byte[] bytes = Files.readAllBytes(index(torn));
        assertTrue(bytes.length < later.length);
        assertTrue(Arrays.equals(bytes, FIRST_BLOCK, bytes.length, later, FIRST_BLOCK, bytes.length));
        List<Block> behind = blocks(sound()).stream()
                .filter(block -> block.offset() >= bytes.length)
                .toList();
        assertEquals(
                List.of(CHANGES, COMMIT, CHANGES),
                behind.stream().map(Block::kind).limit(3).toList());
        byte[] longer = Arrays.copyOf(later, (int) behind.get(2).end());
        System.arraycopy(bytes, 0, longer, 0, bytes.length);
        longer[(int) behind.get(0).offset() + 40] ^= 1;
        longer[(int) behind.get(1).offset() + 20] ^= 1;
        Files.write(index(torn), longer);
        assertEquals(List.of(), StoreCheck.run(torn).kept());
        Path header = files(torn, ".val").getLast();
        flip(header, 20);
        Salvaged salvaged = salvage(torn);
        assertFalse(salvaged.losses().contains(".idx"), salvaged.losses());
        assertTrue(salvaged.losses().contains(header.getFileName().toString()), salvaged.losses());
    }

    /** A crash leaves zeros, or a part of a record. */
    @Test
    void a_torn_end_of_a_segment_is_told_where_it_may_have_been_a_value() throws IOException {
        byte[] half = new byte[300];
        random.nextBytes(half);
        for (boolean isIndexLost : new boolean[] {true, false}) {
            for (boolean isZero : new boolean[] {true, false}) {
                Path damaged = damagedCopy();
                Path segment = files(damaged, ".val").getLast();
                Files.write(segment, isZero ? new byte[half.length] : half, StandardOpenOption.APPEND);
                if (isIndexLost) {
                    Files.delete(index(damaged));
                } else {
                    flip(index(damaged), blocks(PAGE).getFirst().offset() + 40);
                }
                Salvaged salvaged = salvage(damaged);
                requireNewest(salvaged);
                boolean isTold =
                        salvaged.losses().contains("300 bytes cannot be read: a write that a crash interrupted");
                assertEquals(isIndexLost && !isZero, isTold, salvaged::losses);
                assertEquals(isTold, salvaged.losses().contains("bytes cannot be read: "), salvaged::losses);
            }
        }
    }

    /** Records that were never acknowledged may be in the segments, and in no log. */
    @Test
    void records_that_are_newer_than_the_log_say_nothing_of_the_log() throws IOException {
        Path damaged = temp.resolve("newer");
        copy(before(), damaged);
        for (Path segment : files(sound(), ".val")) {
            Files.copy(segment, table(damaged).resolve(segment.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        Files.delete(index(damaged));
        Salvaged salvaged = salvage(damaged);
        assertFalse(salvaged.losses().contains("the log ends"), salvaged.losses());
    }

    /** The report says that removals may be lost, whatever else is damaged. */
    @Test
    void an_older_index_file_hides_no_newer_value() throws IOException {
        for (boolean isOtherDamaged : new boolean[] {true, false}) {
            Path damaged = damagedCopy();
            putBackSegments(damaged);
            Files.delete(index(damaged));
            Files.copy(index(before()), table(damaged).resolve(index(before()).getFileName()));
            if (isOtherDamaged) {
                flip(files(damaged, ".val").getLast(), 20);
            }
            Salvaged salvaged = salvage(damaged);
            Set<String> back = requireNewest(salvaged);
            assertTrue(removed().containsAll(back), () -> back + " are back");
            assertTrue(salvaged.losses().contains("keys that were removed since may be back"), salvaged.losses());
        }
    }

    /** Without its seed nobody knows to which keys its entries lead. They must not stand beside those that are found. */
    @Test
    void an_older_index_file_without_its_seed_hides_no_newer_value() throws IOException {
        Path damaged = damagedCopy();
        putBackSegments(damaged);
        Files.delete(index(damaged));
        Files.copy(index(before()), table(damaged).resolve(index(before()).getFileName()));
        flip(index(damaged), 25);
        Salvaged salvaged = salvage(damaged);
        Set<String> back = requireNewest(salvaged);
        assertTrue(removed().containsAll(back), () -> back + " are back");
        assertTrue(
                salvaged.losses()
                        .contains("of " + salvaged.entries().size() + " keys, those that were removed may be back"),
                salvaged.losses());
    }

    @Test
    void damaged_heads_and_commits_cost_nothing() throws IOException {
        List<Block> commits = blocks(COMMIT);
        for (long offset : List.of(3L, 25L, 40L, 4_000L, commits.get(1).offset() + 20)) {
            Path damaged = damagedCopy();
            flip(index(damaged), offset);
            Salvaged salvaged = salvage(damaged);
            assertEquals(Set.of(), requireNewest(salvaged), () -> "at " + offset + "\n" + salvaged.losses());
        }
        Path damaged = damagedCopy();
        flip(index(damaged), commits.getLast().offset() + 30);
        Salvaged salvaged = salvage(damaged);
        assertEquals(Set.of(), requireNewest(salvaged));
        assertTrue(salvaged.losses().contains("have no commit that can be read"), salvaged.losses());
    }

    /** It may have been torn, or a commit. */
    @Test
    void without_the_mark_the_end_of_the_file_is_in_doubt() throws IOException {
        Path damaged = damagedCopy();
        flip(index(damaged), 4_100);
        flip(index(damaged), blocks(COMMIT).getLast().offset() + 30);
        Salvaged salvaged = salvage(damaged);
        assertTrue(removedLast.containsAll(requireNewest(salvaged)));
        assertTrue(salvaged.losses().contains("have no commit that can be read"), salvaged.losses());
    }

    /** Nobody knows which key an image means. */
    @Test
    void without_the_seed_and_a_page_the_table_is_made_of_its_records() throws IOException {
        Path damaged = damagedCopy();
        flip(index(damaged), 25);
        flip(index(damaged), blocks(PAGE).getFirst().offset() + 40);
        Salvaged salvaged = salvage(damaged);
        assertTrue(removed().containsAll(requireNewest(salvaged)));
        assertTrue(salvaged.losses().contains("without a whole index file"), salvaged.losses());
    }

    @Test
    void a_file_that_was_cut_is_as_one_with_damage_at_its_end() throws IOException {
        for (Block block : List.of(
                blocks(PAGE).get(3), blocks(CHANGES).getLast(), blocks(COMMIT).getLast())) {
            Path damaged = damagedCopy();
            byte[] bytes = Files.readAllBytes(index(damaged));
            Files.write(index(damaged), Arrays.copyOf(bytes, (int) block.offset() + 100));
            Salvaged salvaged = salvage(damaged);
            Set<String> back = requireNewest(salvaged);
            assertTrue(removed().containsAll(back));
            assertTrue(back.isEmpty() || salvaged.losses().contains("may have been removed"), salvaged.losses());
        }
        for (int length : new int[] {0, 10, 5_000, FIRST_BLOCK}) {
            Path damaged = damagedCopy();
            Files.write(index(damaged), Arrays.copyOf(Files.readAllBytes(index(damaged)), length));
            Salvaged salvaged = salvage(damaged);
            assertTrue(removed().containsAll(requireNewest(salvaged)));
            assertTrue(salvaged.losses().contains("those that were removed may be back"), salvaged.losses());
        }
    }

    @Test
    void many_damaged_values_leave_room_for_other_losses() throws IOException {
        Path damaged = damagedCopy();
        Files.delete(index(damaged));
        for (Path segment : files(damaged, ".val")) {
            byte[] bytes = Files.readAllBytes(segment);
            for (int at = 200; at < bytes.length; at += 400) {
                bytes[at] ^= 1;
            }
            Files.write(segment, bytes);
        }
        Salvaged salvaged = salvage(damaged);
        assertTrue(salvaged.report().losses().total() < 200, salvaged::losses);
        assertTrue(salvaged.losses().contains("more parts of value segments cannot be read"), salvaged.losses());
        assertTrue(salvaged.losses().contains("those that were removed may be back"), salvaged.losses());
    }

    /** A key whose newest value and the one before are both in segments. */
    private String keyWithTwoValues() throws IOException {
        for (int i = 3; i < KEYS; i += 50) {
            List<byte[]> values = valuesOf(key(i));
            byte[] newest = values.getLast();
            byte[] before = values.size() < 2 ? REMOVED : values.get(values.size() - 2);
            if (newest.length > 0
                    && before.length > 0
                    && !placesOf(sound(), before).isEmpty()) {
                return key(i);
            }
        }
        throw new AssertionError("no key has two values in segments");
    }

    @Test
    void without_the_index_file_a_damaged_value_may_give_way_to_an_older_one_and_that_is_told() throws IOException {
        String key = keyWithTwoValues();
        List<byte[]> values = valuesOf(key);
        Path damaged = damagedCopy();
        damage(damaged, values.getLast());
        Files.delete(index(damaged));
        Salvaged salvaged = salvage(damaged);
        assertArrayEquals(values.get(values.size() - 2), salvaged.entries().get(key));
        assertTrue(salvaged.losses().contains("of a key that may be back with an older one"), salvaged.losses());
        assertEquals(
                placesOf(sound(), values.getLast()).size(),
                salvaged.losses().split("may be back with an older one", -1).length - 1,
                salvaged.losses());
    }

    @Test
    void a_key_that_the_index_file_names_does_not_come_back_with_an_older_value() throws IOException {
        String key = keyWithTwoValues();
        List<byte[]> values = valuesOf(key);
        for (long offset : List.of(25L, blocks(COMMIT).getLast().offset() + 30)) {
            Path damaged = damagedCopy();
            damage(damaged, values.getLast());
            flip(index(damaged), offset);
            Salvaged salvaged = salvage(damaged);
            assertFalse(salvaged.entries().containsKey(key), salvaged::losses);
            assertEquals(
                    versions.size() - removed().size() - 1, salvaged.entries().size(), salvaged::losses);
        }
    }

    @Test
    void a_missing_segment_costs_its_values_and_a_damaged_header_costs_nothing() throws IOException {
        Path headless = damagedCopy();
        for (Path segment : files(headless, ".val")) {
            flip(segment, 20);
        }
        assertEquals(Set.of(), requireNewest(salvage(headless)));

        Path damaged = damagedCopy();
        Path missing = files(damaged, ".val").getFirst();
        byte[] bytes = Files.readAllBytes(missing);
        Files.delete(missing);
        Salvaged salvaged = salvage(damaged);
        int lost = 0;
        for (Map.Entry<String, List<byte[]>> entry : versions.entrySet()) {
            byte[] newest = entry.getValue().getLast();
            byte[] found = salvaged.entries().get(entry.getKey());
            if (found != null || newest.length == 0) {
                assertArrayEquals(newest, found == null ? REMOVED : found, entry.getKey());
            } else {
                assertTrue(new String(bytes, UTF_8).contains(entry.getKey()), entry.getKey());
                lost++;
            }
        }
        assertTrue(lost > 0);
        assertTrue(
                salvaged.losses().contains("message=has 0 bytes; it should have " + bytes.length), salvaged.losses());
        for (String name : salvaged.losses().split("[/, ]", -1)) {
            assertTrue(!name.endsWith(".val") || Files.exists(table(sound()).resolve(name)), name);
        }
    }

    /** A salvage is sure of nothing that it does not know. */
    @Test
    void whatever_bits_of_the_index_file_are_flipped_no_key_has_a_wrong_value_unnoticed() throws IOException {
        long size = Files.size(index(sound()));
        for (int run = 0; run < 12; run++) {
            Path damaged = damagedCopy();
            Set<Long> offsets = new HashSet<>();
            for (int i = 0; i <= run % 4; i++) {
                long offset = random.nextLong(size);
                if (offsets.add(offset)) {
                    flip(index(damaged), offset);
                }
            }
            if (StoreCheck.run(damaged).total() == 0) {
                continue; // a mark that says nothing, or what a crash may leave
            }
            Salvaged salvaged = salvage(damaged);
            Set<String> back = requireNewest(salvaged);
            boolean areChangesLost = salvaged.losses().contains("changes lost at most");
            Set<String> named = named(salvaged);
            boolean areAllNamed = salvaged.losses().contains("; " + named.size() + " of them may have an older value");
            back.removeIf(key -> named.contains(key) || (named.size() == 500 && !areAllNamed));
            assertTrue(
                    back.isEmpty() || areChangesLost || salvaged.losses().contains("removed may be back"),
                    () -> offsets + ": " + back + "\n" + salvaged.losses());
        }
    }
}

package io.kvstore.hash;

import static io.kvstore.testkit.DamagedCopies.flip;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.StoreCheck;
import io.kvstore.engine.Findings;
import io.kvstore.error.StorageException;
import io.kvstore.testkit.DamagedCopies.Salvaged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What comes back of a hash table of which the disk does not give all bytes. */
final class HashBadDiskTest extends DamagedHashTable {

    /** Checks that only keys of a segment are missing, and returns how many. */
    private int requireOnlyMissing(Salvaged salvaged, Path segment) throws IOException {
        String bytes = new String(Files.readAllBytes(segment), ISO_8859_1);
        int missing = 0;
        for (Map.Entry<String, List<byte[]>> entry : versions.entrySet()) {
            byte[] newest = entry.getValue().getLast();
            byte[] found = salvaged.entries().getOrDefault(entry.getKey(), REMOVED);
            if (found.length > 0 || newest.length == 0) {
                assertArrayEquals(newest, found, entry.getKey());
            } else {
                assertTrue(bytes.contains(entry.getKey()), entry.getKey());
                missing++;
            }
        }
        return missing;
    }

    /** Of an index that is whole, and of one that is not. */
    @Test
    void a_sector_that_the_disk_does_not_give_costs_the_values_there() throws IOException {
        for (boolean isIndexWhole : new boolean[] {true, false}) {
            Path damaged = damagedCopy();
            if (!isIndexWhole) {
                flip(index(damaged), 25);
            }
            Path segment = files(damaged, ".val").get(2);
            BadDisk.lose(segment, Files.size(segment) / 2);
            Salvaged salvaged = salvage(damaged);
            int missing = requireOnlyMissing(salvaged, segment);
            assertTrue(missing > 10 && missing < 100, missing + " are missing\n" + salvaged.losses());
            assertTrue(salvaged.losses().contains("Input/output error"), salvaged.losses());
            assertEquals(
                    OTHER_KEYS,
                    salvaged.report().tables().stream()
                            .filter(table -> table.name().equals("other"))
                            .findFirst()
                            .orElseThrow()
                            .entries());
        }
    }

    /** Without an index all records are searched for. */
    @Test
    void a_sector_that_the_disk_does_not_give_hides_no_records_around_it() throws IOException {
        Path damaged = damagedCopy();
        Files.delete(index(damaged));
        Path segment = files(damaged, ".val").get(2);
        BadDisk.lose(segment, Files.size(segment) / 2);
        Salvaged salvaged = salvage(damaged);
        String bytes = new String(Files.readAllBytes(segment), ISO_8859_1);
        int lost = 0;
        for (Map.Entry<String, List<byte[]>> entry : versions.entrySet()) {
            byte[] newest = entry.getValue().getLast();
            if (newest.length > 0 && !Arrays.equals(newest, salvaged.entries().get(entry.getKey()))) {
                assertTrue(bytes.contains(entry.getKey()), entry.getKey());
                lost++;
            }
        }
        assertTrue(lost > 10 && lost < 100, lost + " are lost\n" + salvaged.losses());
    }

    @Test
    void a_file_of_values_that_cannot_be_opened_costs_its_values() throws IOException {
        Path damaged = damagedCopy();
        Path segment = files(damaged, ".val").get(2);
        BadDisk.close(segment);
        Salvaged salvaged = salvage(damaged);
        int missing = requireOnlyMissing(salvaged, segment);
        assertTrue(missing > 10, missing + " are missing\n" + salvaged.losses());
        assertTrue(salvaged.losses().contains("cannot be opened"), salvaged.losses());
    }

    @Test
    void an_index_that_cannot_be_opened_counts_as_missing() throws IOException {
        Path damaged = damagedCopy();
        BadDisk.close(index(damaged));
        Salvaged salvaged = salvage(damaged);
        assertTrue(removed().containsAll(requireNewest(salvaged)));
        assertTrue(salvaged.losses().contains("cannot be opened"), salvaged.losses());
        assertTrue(salvaged.losses().contains("those that were removed may be back"), salvaged.losses());
    }

    @Test
    void a_sector_of_the_index_that_the_disk_does_not_give_costs_what_damage_there_would() throws IOException {
        Block page = blocks(PAGE).get(blocks(PAGE).size() / 2);
        Path damaged = damagedCopy();
        BadDisk.lose(index(damaged), page.offset());
        Salvaged salvaged = salvage(damaged);
        Set<String> back = requireNewest(salvaged);
        assertTrue(named(salvaged).containsAll(back), () -> back + " are back:\n" + salvaged.losses());
    }

    /** The head has the seed of the hashes, and the mark says which commit was durable. */
    @Test
    void the_head_and_the_mark_of_an_index_that_the_disk_does_not_give_cost_nothing() throws IOException {
        for (long offset : new long[] {0, 4_096}) {
            Path damaged = damagedCopy();
            BadDisk.lose(index(damaged), offset);
            Salvaged salvaged = salvage(damaged);
            assertEquals(Set.of(), requireNewest(salvaged), salvaged::losses);
            assertTrue(salvaged.losses().contains("offset=" + offset + ", message=cannot be read"), salvaged.losses());
        }
    }

    @Test
    void a_header_that_the_disk_does_not_give_costs_the_values_beside_it() throws IOException {
        Path damaged = damagedCopy();
        Path segment = files(damaged, ".val").get(2);
        BadDisk.lose(segment, 0);
        Salvaged salvaged = salvage(damaged);
        int missing = requireOnlyMissing(salvaged, segment);
        assertTrue(missing > 10 && missing < 100, missing + " are missing\n" + salvaged.losses());
        assertTrue(salvaged.losses().contains("offset=0, message=cannot be read"), salvaged.losses());
    }

    @Test
    void a_check_that_is_interrupted_calls_nothing_damaged_for_that() throws IOException {
        Path damaged = damagedCopy();
        flip(index(damaged), 25);
        BadDisk.interrupt(files(damaged, ".val").get(2));
        assertThrows(StorageException.class, () -> StoreCheck.run(damaged));
    }

    /** Each lies in a segment that is read as a whole, and an entry leads to it. At least two lie in one segment. */
    @Test
    void a_check_names_each_damaged_value_once() throws IOException {
        for (boolean isIndexWhole : new boolean[] {true, false}) {
            Path damaged = damagedCopy();
            if (!isIndexWhole) {
                flip(index(damaged), 4_100); // the mark
                flip(files(damaged, ".val").getFirst(), 20); // a header
            }
            long before = StoreCheck.run(damaged).total();
            for (int i = 0; i < 3; i++) {
                byte[] value = valuesOf(key(KEYS + 5 * i)).getLast();
                Place place = placesOf(damaged, value).getLast();
                flip(place.segment(), place.offset());
            }
            List<Findings.Finding> found = StoreCheck.run(damaged).kept();
            assertEquals(before + 3, found.size(), found::toString);
        }
    }

    /** More than are named one by one where the whole segments are read. Between any two of them lies a value that is whole. */
    @Test
    void a_check_names_all_of_many_damaged_values() throws IOException {
        Path damaged = damagedCopy();
        flip(index(damaged), 4_100); // the mark
        flip(files(damaged, ".val").getFirst(), 20); // a header
        List<Integer> keys = new ArrayList<>();
        for (int i = KEYS; i < KEYS + 200; i += 2) {
            keys.add(i);
        }
        for (int i = 3; i < KEYS; i += 100) {
            keys.add(i);
        }
        for (int key : keys) {
            byte[] value = valuesOf(key(key)).getLast();
            Place place = placesOf(damaged, value).getLast();
            flip(place.segment(), place.offset());
        }
        List<Findings.Finding> found = StoreCheck.run(damaged).kept();
        long named = found.stream()
                .filter(one -> one.file().endsWith(".val"))
                .map(one -> one.file() + one.offset())
                .distinct()
                .count();
        assertTrue(named > keys.size(), () -> named + " of " + keys.size() + ": " + found);
    }

    /** Bytes to which no entry leads, in a table of which only the head of the index is damaged. */
    @Test
    void a_check_reads_values_that_were_replaced() throws IOException {
        Path damaged = damagedCopy();
        flip(index(damaged), 4_100); // the mark
        flip(files(damaged, ".val").getFirst(), 20); // a header
        long before = StoreCheck.run(damaged).total();
        for (String key : removedLast) {
            List<byte[]> values = valuesOf(key);
            for (Place place : placesOf(damaged, values.get(values.size() - 2))) {
                flip(place.segment(), place.offset());
                assertEquals(before + 1, StoreCheck.run(damaged).total());
                return;
            }
        }
        throw new AssertionError("no segment has a removed value");
    }
}

package io.kvstore.hash;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
                    1_500,
                    salvaged.report().tables().stream()
                            .filter(table -> table.name().equals("other"))
                            .findFirst()
                            .orElseThrow()
                            .entries());
        }
    }
}

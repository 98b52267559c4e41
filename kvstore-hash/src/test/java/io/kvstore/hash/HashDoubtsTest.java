package io.kvstore.hash;

import static io.kvstore.testkit.DamagedCopies.copy;
import static io.kvstore.testkit.DamagedCopies.flip;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.DamagedCopies.Salvaged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The keys of a damaged table of which nobody knows whether they have their newest value. */
final class HashDoubtsTest extends DamagedHashTable {

    @Test
    void of_many_keys_in_doubt_the_first_are_named_and_all_are_counted() throws IOException {
        Block lost = mostMoves();
        Path damaged = damagedCopy();
        flip(index(damaged), lost.offset() + 40);
        Salvaged salvaged = salvage(damaged);
        assertEquals(500, named(salvaged).size());
        assertTrue(salvaged.report().losses().total() < 510, salvaged::losses);
        int all = inDoubt(salvaged);
        assertTrue(all > 900 && all <= (lost.end() - lost.offset()) / 20, all + " are in doubt");

        Files.createFile(table(damaged).resolve(SmallSegmentsProvider.FEW_DOUBTS));
        Salvaged full = salvage(damaged);
        assertEquals(Set.of(), requireNewest(full), full::losses);
        assertEquals(500, named(full).size());
        assertTrue(inDoubt(full) >= all, inDoubt(full) + " are in doubt, and not " + all);
    }

    private static int inDoubt(Salvaged salvaged) {
        Matcher counted =
                Pattern.compile("; (\\d+) of them may have an older value").matcher(salvaged.losses());
        assertTrue(counted.find(), salvaged::losses);
        return Integer.parseInt(counted.group(1));
    }

    /** A crash after moves leaves them. */
    @Test
    void copies_in_segments_that_no_commit_lists_put_nothing_in_doubt() throws IOException {
        Path damaged = temp.resolve("moved");
        copy(before(), damaged);
        assertTrue(putBackSegments(sound(), damaged) > 0);
        List<Block> pages = blocksOf(blocks(damaged), PAGE);
        Block lost = pages.get(pages.size() / 2);
        flip(index(damaged), (lost.offset() + lost.end()) / 2);
        Salvaged salvaged = salvage(damaged);
        long inPage = (lost.end() - lost.offset()) / 12;
        int named = named(salvaged).size();
        assertTrue(named > 0 && named <= 2 * inPage, named + " named, " + inPage + " in the page");
    }
}

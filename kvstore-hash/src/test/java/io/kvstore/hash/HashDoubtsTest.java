package io.kvstore.hash;

import static io.kvstore.testkit.DamagedCopies.copy;
import static io.kvstore.testkit.DamagedCopies.flip;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.testkit.DamagedCopies.Salvaged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

    /** Nothing of the table lay in such a segment: a crash left it, or it was emptied before. */
    @Test
    void damage_of_segments_that_no_commit_lists_is_no_loss() throws IOException {
        for (Path others : List.of(first(), sound())) {
            Path damaged = temp.resolve("beside" + others.getFileName());
            copy(before(), damaged);
            List<Path> listed = files(damaged, ".val");
            assertTrue(putBackSegments(others, damaged) > 0);
            List<Block> pages = blocksOf(blocks(damaged), PAGE);
            flip(index(damaged), pages.getFirst().offset() + 40);
            List<Path> unlisted = new ArrayList<>(files(damaged, ".val"));
            unlisted.removeAll(listed);
            for (Path segment : unlisted) {
                flip(segment, Files.size(segment) / 2);
                flip(segment, Files.size(segment) - 30);
            }
            assertEquals(Set.of(), unreadable(salvage(damaged)));
            flip(listed.getFirst(), Files.size(listed.getFirst()) / 2);
            assertEquals(Set.of(listed.getFirst().getFileName().toString()), unreadable(salvage(damaged)));
        }
    }

    /** The names of the value segments of which a part is told to be lost. */
    private static Set<String> unreadable(Salvaged salvaged) {
        return salvaged.report().losses().kept().stream()
                .filter(finding ->
                        finding.file().endsWith(".val") && finding.message().contains("cannot be read"))
                .map(finding -> finding.file().substring(finding.file().lastIndexOf('/') + 1))
                .collect(Collectors.toSet());
    }
}

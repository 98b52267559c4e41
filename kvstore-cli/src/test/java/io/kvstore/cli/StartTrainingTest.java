package io.kvstore.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The run that the launcher makes a cache of classes from. */
final class StartTrainingTest {

    private static Set<Path> left() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith("kvstore-start"))
                    .collect(Collectors.toSet());
        }
    }

    @Test
    void all_its_commands_end_well_and_nothing_is_left() throws Exception {
        Set<Path> before = left();
        StartTraining.main(new String[0]);
        assertEquals(before, left());
    }
}

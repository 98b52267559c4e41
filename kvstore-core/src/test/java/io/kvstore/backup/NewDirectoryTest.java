package io.kvstore.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.StoreLockedException;
import io.kvstore.io.RealStorage;
import io.kvstore.io.Storage;
import io.kvstore.testkit.HookedStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two that make a directory of the same name at the same time. */
final class NewDirectoryTest {

    private static final String NAME = "new";

    @TempDir
    private Path temp;

    /** Whether another one is kept from making a directory of the same name now. */
    private static boolean isRefused(Storage parent) throws IOException {
        try (NewDirectory _ = new NewDirectory(parent, NAME)) {
            return false;
        } catch (StoreLockedException e) {
            return true;
        }
    }

    @Test
    void nobody_takes_a_directory_that_is_getting_its_name() throws IOException {
        Storage parent = new RealStorage(temp);
        int[] refused = new int[1];
        Storage hooked = HookedStorage.over(parent, (call, path, rest) -> {
            if (call.equals("rename")) {
                refused[0] += isRefused(parent) ? 1 : 0;
            }
            return rest.call();
        });
        try (NewDirectory made = new NewDirectory(hooked, NAME)) {
            made.create("file").close();
            assertTrue(isRefused(parent));
            made.publish();
        }
        assertEquals(1, refused[0], "the directory was anybody's before it had its name");
        assertTrue(Files.exists(temp.resolve(NAME + "/file")));
        assertFalse(Files.exists(temp.resolve(NAME + ".unfinished")));
        parent.lock(NAME + "/LOCK").close();
        assertEquals(0, parent.openResources());
    }

    @Test
    void nobody_takes_a_directory_that_is_being_deleted() throws IOException {
        Storage parent = new RealStorage(temp);
        int[] refused = new int[1];
        Storage hooked = HookedStorage.over(parent, (call, path, rest) -> {
            if (call.equals("deleteTree") && path.endsWith("/file")) {
                refused[0] += isRefused(parent) ? 1 : 0;
            }
            return rest.call();
        });
        try (NewDirectory made = new NewDirectory(hooked, NAME)) {
            made.create("file").close();
        }
        assertEquals(1, refused[0], "the directory was anybody's before it was empty");
        assertFalse(Files.exists(temp.resolve(NAME + ".unfinished")));
        assertEquals(0, parent.openResources());
    }
}

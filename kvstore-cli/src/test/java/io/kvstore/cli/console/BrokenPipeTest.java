package io.kvstore.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The text of a pipe without a reader, in the language of the user. */
final class BrokenPipeTest {

    @Test
    void the_text_of_this_machine_is_known() {
        IOException here = new IOException(BrokenPipe.textHere());
        assertTrue(BrokenPipe.is(here));
        assertTrue(BrokenPipe.is(here, BrokenPipe.textHere()));
        IOException french = new IOException("Relais bris\u00E9 (pipe)");
        assertEquals(BrokenPipe.is(french), String.valueOf(french.getMessage()).equals(BrokenPipe.textHere()));
        assertTrue(BrokenPipe.is(french, "Relais bris\u00E9 (pipe)"));
    }

    @Test
    void other_failures_are_none() {
        assertFalse(BrokenPipe.is(new IOException("No space left on device")));
        assertFalse(BrokenPipe.is(new IOException()));
        assertFalse(BrokenPipe.is(new IOException(), null));
    }
}

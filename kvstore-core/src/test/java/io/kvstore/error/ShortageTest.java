package io.kvstore.error;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class ShortageTest {

    @Test
    void memory_and_stack_are_short_for_a_while() {
        assertTrue(Shortage.isCauseOf(new OutOfMemoryError()));
        assertTrue(Shortage.isCauseOf(new StackOverflowError()));
        assertFalse(Shortage.isCauseOf(new InternalError()));
        assertFalse(Shortage.isCauseOf(new IllegalArgumentException()));
        assertFalse(Shortage.isCauseOf(new IllegalArgumentException(new IllegalStateException())));
    }

    /** As the virtual machine does when it has no memory for another one. */
    @Test
    void the_same_error_twice_is_one() {
        OutOfMemoryError full = new OutOfMemoryError();
        Throwable thrown = assertThrows(IllegalArgumentException.class, () -> {
            AutoCloseable opened = () -> {
                throw full;
            };
            try (opened) {
                throw full;
            }
        });
        assertTrue(Shortage.isCauseOf(thrown));
    }
}

package io.kvstore.server.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Memory that is not there now, and memory that can never be there. */
final class ByteBudgetTest {

    private final ByteBudget budget = new ByteBudget(100);

    private ByteBudget.Claim claim() {
        return budget.claim(ProblemCode.ANSWER_TOO_LARGE);
    }

    private static Problem refused(ByteBudget.Claim claim, long bytes) {
        return assertThrows(ProblemException.class, () -> claim.take(bytes)).problem();
    }

    @Test
    void what_others_have_is_there_again_when_they_end() {
        try (ByteBudget.Claim one = claim()) {
            ByteBudget.Claim other = claim();
            other.take(60);
            Problem refused = refused(one, 41);
            assertEquals(ProblemCode.OVERLOADED, refused.code());
            assertTrue(refused.code().isTransient());
            other.close();
            one.take(41);
            assertEquals(41, budget.usedBytes());
        }
        assertEquals(0, budget.usedBytes());
    }

    /** Neither a request at once nor one that grows, and whatever others have. */
    @Test
    void more_than_all_is_never_there() {
        try (ByteBudget.Claim one = claim();
                ByteBudget.Claim other = claim()) {
            other.take(60);
            one.take(30);
            for (long more : new long[] {71, 101, Long.MAX_VALUE / 2}) {
                Problem refused = refused(one, more);
                assertEquals(ProblemCode.ANSWER_TOO_LARGE, refused.code());
                assertFalse(refused.code().isTransient());
                assertEquals(100L, refused.members().get("limit"));
                assertEquals(30 + more, refused.members().get("actual"));
                assertTrue(refused.detail().startsWith("the request takes " + (30 + more) + " bytes"), refused::detail);
                assertTrue(refused.detail().contains("-Xmx"), refused::detail);
            }
            assertEquals(90, budget.usedBytes());
        }
    }

    @Test
    void a_key_is_named_whatever_its_bytes_are() {
        assertEquals("\"k 1\"", KeyName.of("k 1".getBytes(StandardCharsets.UTF_8)));
        assertEquals("\"\"", KeyName.of(new byte[0]));
        assertEquals("0x6b0a", KeyName.of(new byte[] {'k', '\n'}));
        assertEquals("0xc3a4", KeyName.of("\u00e4".getBytes(StandardCharsets.UTF_8)));
        String named = KeyName.of(new byte[60_000]);
        assertTrue(named.endsWith("... of 60000 bytes") && named.length() < 200, named);
    }
}

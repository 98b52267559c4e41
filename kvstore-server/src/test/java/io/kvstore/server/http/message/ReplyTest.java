package io.kvstore.server.http.message;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How problems are answered. */
final class ReplyTest {

    @ParameterizedTest
    @EnumSource
    void a_problem_has_its_status_and_what_passes_says_when_to_come_again(ProblemCode code) {
        Reply.Whole reply = Reply.of(Problem.of(code, "detail"), "id");
        assertEquals(code.status(), reply.status());
        assertEquals(code.isTransient(), reply.headers().containsKey("Retry-After"));
    }
}

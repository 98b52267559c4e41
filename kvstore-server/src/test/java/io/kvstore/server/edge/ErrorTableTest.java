package io.kvstore.server.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.NotFoundException;
import io.kvstore.error.Outcome;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StorageException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.error.StoreLockedException;
import io.kvstore.error.TableDroppedException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of errors. */
final class ErrorTableTest {

    private static final Map<KVStoreException, Integer> STATUS = new LinkedHashMap<>();

    static {
        STATUS.put(new NotFoundException("m"), 404);
        STATUS.put(new AlreadyExistsException("m"), 409);
        STATUS.put(new InvalidRequestException("m"), 400);
        STATUS.put(new ConditionFailedException(3, "m"), 412);
        STATUS.put(new TableDroppedException("m"), 410);
        STATUS.put(new CorruptionException("f", 7, "m"), 500);
        STATUS.put(new StorageException("m", null), 500);
        STATUS.put(new DiskFullException("m", null), 507);
        STATUS.put(new OverloadedException("m"), 503);
        STATUS.put(new OutcomeUnknownException("m", null), 500);
        STATUS.put(new StoreLockedException(1, "m"), 423);
        STATUS.put(new StoreFailedException("m", null), 503);
        STATUS.put(new StoreClosedException("m"), 503);
    }

    @Test
    void every_exception_has_its_status_and_keeps_its_outcome() {
        STATUS.forEach((failure, status) -> {
            Problem problem = ErrorTable.of(failure);
            assertEquals(status, problem.code().status(), () -> failure.toString());
            assertEquals(failure.outcome(), problem.outcome());
        });
    }

    @Test
    void no_exception_is_left_out() {
        Set<Class<?>> tested = STATUS.keySet().stream().map(Object::getClass).collect(Collectors.toSet());
        assertEquals(Stream.of(KVStoreException.class.getPermittedSubclasses()).collect(Collectors.toSet()), tested);
    }

    /** A name in a request can have megabytes. */
    @Test
    void what_a_client_sent_is_not_sent_back_as_a_whole() {
        String message = "there is no " + "x".repeat(1 << 20) + "; give another";
        String detail = ErrorTable.of(new InvalidRequestException(message)).detail();
        assertTrue(detail.length() < 5_000, detail);
        assertTrue(detail.startsWith("there is no x") && detail.endsWith("x; give another"), detail);
        String usual = "x".repeat(4_000);
        assertEquals(usual, Problem.of(ProblemCode.INVALID_REQUEST, usual).detail());
    }

    @Test
    void a_failed_check_is_named() {
        assertEquals(
                3, ErrorTable.of(new ConditionFailedException(3, "m")).members().get("failed_check"));
    }

    @Test
    void a_fault_of_the_server_tells_nothing_of_its_inside() {
        Problem problem = ErrorTable.of(new IllegalStateException("/secret/path"));
        assertEquals(500, problem.code().status());
        assertEquals(Outcome.UNKNOWN, problem.outcome());
        assertFalse(problem.asJson("id").toString().contains("secret"));
        assertFalse(ErrorTable.of(new StorageException("/secret/path", null))
                .detail()
                .contains("secret"));
        assertTrue(problem.asJson("id-1").containsValue("id-1"));
    }
}

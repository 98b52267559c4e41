package io.kvstore.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.client.error.ConditionFailedException;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import io.kvstore.thrift.ConditionFailed;
import io.kvstore.thrift.ServiceError;
import java.net.UnknownHostException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** From the errors of the service to exceptions. */
final class FailuresTest {

    @ParameterizedTest
    @EnumSource(io.kvstore.thrift.ErrorCode.class)
    void each_code_of_the_service_is_known(io.kvstore.thrift.ErrorCode code) {
        assertEquals(
                code.name(),
                Failures.of(new ServiceError().setCode(code)).code().name());
    }

    @ParameterizedTest
    @CsvSource({
        "INVALID_REQUEST, InvalidRequestException",
        "CONTINUATION_INVALID, InvalidRequestException",
        "UNAUTHENTICATED, UnauthenticatedException",
        "PERMISSION_DENIED, KVClientException",
        "DATABASE_NOT_FOUND, NotFoundException",
        "TABLE_NOT_FOUND, NotFoundException",
        "NOT_FOUND, NotFoundException",
        "ALREADY_EXISTS, AlreadyExistsException",
        "DEFINITION_DIFFERS, AlreadyExistsException",
        "DATABASE_NOT_EMPTY, KVClientException",
        "TABLE_DROPPED, TableDroppedException",
        "TOO_LARGE, TooLargeException",
        "ANSWER_TOO_LARGE, TooLargeException",
        "SNAPSHOT_EXPIRED, SnapshotExpiredException",
        "CORRUPTION, CorruptionException",
        "STORAGE_FAILED, KVClientException",
        "DISK_FULL, UnavailableException",
        "OVERLOADED, UnavailableException",
        "STORE_FAILED, UnavailableException",
        "STOPPING, UnavailableException",
        "OUTCOME_UNKNOWN, OutcomeUnknownException",
        "INTERNAL_ERROR, KVClientException",
    })
    void each_code_has_its_class(io.kvstore.thrift.ErrorCode code, String name) {
        assertEquals(
                name, Failures.of(new ServiceError().setCode(code)).getClass().getSimpleName());
    }

    @Test
    void a_host_that_nobody_knows_is_told_as_that() {
        KVClientException failure =
                Failures.notConnected(ClientOptions.of("nowhere", 9090), new UnknownHostException("nowhere"));
        assertEquals("cannot connect to nowhere:9090: there is no host with the name nowhere", failure.getMessage());
    }

    @Test
    void all_that_is_told_arrives() {
        KVClientException failure = Failures.of(new ServiceError()
                .setCode(io.kvstore.thrift.ErrorCode.TOO_LARGE)
                .setMessage("too much")
                .setRetryable(true)
                .setOutcome(io.kvstore.thrift.Outcome.REJECTED)
                .setErrorId("e1")
                .setDetails(Map.of("limit", "7")));
        assertEquals(ErrorCode.TOO_LARGE, failure.code());
        assertEquals("too much (error id e1)", failure.getMessage());
        assertTrue(failure.isRetryable());
        assertEquals(Outcome.REJECTED, failure.outcome());
        assertEquals("e1", failure.errorId());
        assertEquals(Map.of("limit", "7"), failure.details());
    }

    @Test
    void what_is_not_told_is_assumed_to_be_the_worst() {
        KVClientException failure = Failures.of(new ServiceError().setCode(io.kvstore.thrift.ErrorCode.STORAGE_FAILED));
        assertEquals(Outcome.UNKNOWN, failure.outcome());
        assertEquals(false, failure.isRetryable());
        assertNull(failure.errorId());
        assertEquals("STORAGE_FAILED", failure.getMessage());
        assertEquals(Map.of(), failure.details());
    }

    @Test
    void a_failed_check_has_its_place() {
        ConditionFailedException failure =
                (ConditionFailedException) Failures.of(new ConditionFailed(4).setMessage("no"));
        assertEquals(4, failure.failedCheck());
        assertEquals("no", failure.getMessage());
        assertEquals(ErrorCode.CONDITION_FAILED, failure.code());
    }
}

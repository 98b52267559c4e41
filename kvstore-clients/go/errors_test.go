package kvstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"kvstore.io/client/kvstorethrift"
)

func TestEachCodeHasItsKind(t *testing.T) {
	kinds := map[kvstorethrift.ErrorCode]error{
		kvstorethrift.ErrorCode_INVALID_REQUEST:      ErrInvalidRequest,
		kvstorethrift.ErrorCode_UNAUTHENTICATED:      ErrUnauthenticated,
		kvstorethrift.ErrorCode_PERMISSION_DENIED:    nil,
		kvstorethrift.ErrorCode_DATABASE_NOT_FOUND:   ErrNotFound,
		kvstorethrift.ErrorCode_TABLE_NOT_FOUND:      ErrNotFound,
		kvstorethrift.ErrorCode_NOT_FOUND:            ErrNotFound,
		kvstorethrift.ErrorCode_ALREADY_EXISTS:       ErrAlreadyExists,
		kvstorethrift.ErrorCode_DATABASE_NOT_EMPTY:   nil,
		kvstorethrift.ErrorCode_DEFINITION_DIFFERS:   ErrAlreadyExists,
		kvstorethrift.ErrorCode_TABLE_DROPPED:        ErrTableDropped,
		kvstorethrift.ErrorCode_TOO_LARGE:            ErrTooLarge,
		kvstorethrift.ErrorCode_ANSWER_TOO_LARGE:     ErrTooLarge,
		kvstorethrift.ErrorCode_SNAPSHOT_EXPIRED:     ErrSnapshotExpired,
		kvstorethrift.ErrorCode_CONTINUATION_INVALID: ErrInvalidRequest,
		kvstorethrift.ErrorCode_CORRUPTION:           ErrCorruption,
		kvstorethrift.ErrorCode_STORAGE_FAILED:       nil,
		kvstorethrift.ErrorCode_DISK_FULL:            ErrUnavailable,
		kvstorethrift.ErrorCode_OVERLOADED:           ErrUnavailable,
		kvstorethrift.ErrorCode_OUTCOME_UNKNOWN:      ErrOutcomeUnknown,
		kvstorethrift.ErrorCode_STORE_FAILED:         ErrUnavailable,
		kvstorethrift.ErrorCode_STOPPING:             ErrUnavailable,
		kvstorethrift.ErrorCode_INTERNAL_ERROR:       nil,
	}
	all := []error{
		ErrInvalidRequest, ErrNotFound, ErrAlreadyExists, ErrUnauthenticated, ErrConditionFailed, ErrTableDropped,
		ErrSnapshotExpired, ErrTooLarge, ErrCorruption, ErrUnavailable, ErrOutcomeUnknown, ErrConnectionFailed,
	}
	for code := range kvstorethrift.ErrorCodeValues() {
		want, known := kinds[code]
		if !known {
			t.Errorf("%v has no line in this test", code)
		}
		err := fmt.Errorf("wrapped: %w", fromService(&kvstorethrift.ServiceError{Code: code}))
		for _, kind := range all {
			if errors.Is(err, kind) != (kind == want) {
				t.Errorf("%v is %v: %v", code, kind, errors.Is(err, kind))
			}
		}
		var failure *Error
		if !errors.As(err, &failure) || failure.Code != Code(code) || failure.Code.String() != code.String() {
			t.Errorf("%v: %+v", code, failure)
		}
	}
}

func TestUnknownCodeIsAnInternalError(t *testing.T) {
	for _, code := range []kvstorethrift.ErrorCode{0, 23, 4711, -1} {
		if got := fromService(&kvstorethrift.ServiceError{Code: code}); got.Code != CodeInternalError || got.kind != nil {
			t.Errorf("%d: %+v", code, got)
		}
	}
}

func TestErrorKeepsWhatTheServerSaid(t *testing.T) {
	message, id, retryable, outcome := "no such table", "e7", true, kvstorethrift.Outcome_FAILED
	err := fromService(&kvstorethrift.ServiceError{
		Code: kvstorethrift.ErrorCode_TABLE_NOT_FOUND, Message: &message, Retryable: &retryable, Outcome: &outcome, ErrorID: &id,
		Details: map[string]string{"table": "t"},
	})
	if err.Message != message || !err.Retryable || err.Outcome != OutcomeFailed || err.ID != id || err.Details["table"] != "t" {
		t.Errorf("%+v", err)
	}
	if err.Error() != "kvstore: not found: no such table (error id e7)" {
		t.Error(err)
	}
}

func TestUnknownOutcomeIsItsKindWhateverTheCode(t *testing.T) {
	outcome := kvstorethrift.Outcome_UNKNOWN
	err := fromService(&kvstorethrift.ServiceError{Code: kvstorethrift.ErrorCode_DISK_FULL, Outcome: &outcome})
	if !errors.Is(err, ErrOutcomeUnknown) || !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
}

func TestFailedCheckHasItsPlace(t *testing.T) {
	var err error = fromCondition(&kvstorethrift.ConditionFailed{FailedCheck: 3})
	var failure *Error
	if !errors.Is(err, ErrConditionFailed) || !errors.As(err, &failure) || failure.FailedCheck != 3 {
		t.Errorf("%+v", err)
	}
}

func TestErrorNamesItsCause(t *testing.T) {
	err := notSent("why", context.Canceled)
	expectIs(t, err, context.Canceled, ErrConnectionFailed)
	if !strings.HasSuffix(err.Error(), "why: context canceled") {
		t.Error(err)
	}
}

package kvstore

import (
	"errors"
	"strings"

	"kvstore.io/client/kvstorethrift"
)

// The kinds of errors. Use them with [errors.Is]; [*Error] has the details.
var (
	// ErrInvalidRequest says that the call, a name, a URL or a continuation is not valid.
	ErrInvalidRequest = errors.New("invalid request")
	// ErrNotFound says that there is no such database, table, operation or backup. A missing value is not an error.
	ErrNotFound = errors.New("not found")
	// ErrAlreadyExists says that the table exists with another definition, or that a new name is taken.
	ErrAlreadyExists = errors.New("already exists")
	// ErrUnauthenticated says that the server wants a token, or does not know the one given.
	ErrUnauthenticated = errors.New("unauthenticated")
	// ErrConditionFailed says that a check of a batch does not hold; see Error.FailedCheck.
	ErrConditionFailed = errors.New("condition failed")
	// ErrTableDropped says that the table was dropped while the call needed it, or dropped and created again during a scan.
	ErrTableDropped = errors.New("table dropped")
	// ErrSnapshotExpired says that the snapshot is closed, that its lease ran out or that its connection ended.
	ErrSnapshotExpired = errors.New("snapshot expired")
	// ErrTooLarge says that a key, value, list, request or answer is over a limit.
	ErrTooLarge = errors.New("too large")
	// ErrCorruption says that stored bytes are damaged.
	ErrCorruption = errors.New("corruption")
	// ErrUnavailable says that the server is overloaded or stopping, that its disk is full or that its store failed.
	ErrUnavailable = errors.New("unavailable")
	// ErrOutcomeUnknown says that a write may or may not have been applied: read it back.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	// ErrConnectionFailed says that the server was not reached or did not answer, and that no write of this call was applied.
	ErrConnectionFailed = errors.New("connection failed")
	// ErrClosed is the reason of an ErrConnectionFailed after Client.Close.
	ErrClosed = errors.New("the client is closed")
)

// Code is what went wrong, as the server says it. 0: the error arose in the client.
type Code int32

// The codes of the server. One that this client does not know is shown as CodeInternalError.
const (
	CodeInvalidRequest      = Code(kvstorethrift.ErrorCode_INVALID_REQUEST)
	CodeUnauthenticated     = Code(kvstorethrift.ErrorCode_UNAUTHENTICATED)
	CodePermissionDenied    = Code(kvstorethrift.ErrorCode_PERMISSION_DENIED)
	CodeDatabaseNotFound    = Code(kvstorethrift.ErrorCode_DATABASE_NOT_FOUND)
	CodeTableNotFound       = Code(kvstorethrift.ErrorCode_TABLE_NOT_FOUND)
	CodeNotFound            = Code(kvstorethrift.ErrorCode_NOT_FOUND)
	CodeAlreadyExists       = Code(kvstorethrift.ErrorCode_ALREADY_EXISTS)
	CodeDatabaseNotEmpty    = Code(kvstorethrift.ErrorCode_DATABASE_NOT_EMPTY)
	CodeDefinitionDiffers   = Code(kvstorethrift.ErrorCode_DEFINITION_DIFFERS)
	CodeTableDropped        = Code(kvstorethrift.ErrorCode_TABLE_DROPPED)
	CodeTooLarge            = Code(kvstorethrift.ErrorCode_TOO_LARGE)
	CodeAnswerTooLarge      = Code(kvstorethrift.ErrorCode_ANSWER_TOO_LARGE)
	CodeSnapshotExpired     = Code(kvstorethrift.ErrorCode_SNAPSHOT_EXPIRED)
	CodeContinuationInvalid = Code(kvstorethrift.ErrorCode_CONTINUATION_INVALID)
	CodeCorruption          = Code(kvstorethrift.ErrorCode_CORRUPTION)
	CodeStorageFailed       = Code(kvstorethrift.ErrorCode_STORAGE_FAILED)
	CodeDiskFull            = Code(kvstorethrift.ErrorCode_DISK_FULL)
	CodeOverloaded          = Code(kvstorethrift.ErrorCode_OVERLOADED)
	CodeOutcomeUnknown      = Code(kvstorethrift.ErrorCode_OUTCOME_UNKNOWN)
	CodeStoreFailed         = Code(kvstorethrift.ErrorCode_STORE_FAILED)
	CodeStopping            = Code(kvstorethrift.ErrorCode_STOPPING)
	CodeInternalError       = Code(kvstorethrift.ErrorCode_INTERNAL_ERROR)
)

// String gives the code's name in the API, such as TABLE_NOT_FOUND.
func (c Code) String() string {
	if c == 0 {
		return "NONE"
	}
	return kvstorethrift.ErrorCode(c).String()
}

// Outcome is what became of the call that an error ended. 0: not told.
type Outcome int32

// The outcomes.
const (
	// OutcomeRejected: it was not tried, nothing has changed.
	OutcomeRejected = Outcome(kvstorethrift.Outcome_REJECTED)
	// OutcomeFailed: it was tried and not applied, nothing has changed.
	OutcomeFailed = Outcome(kvstorethrift.Outcome_FAILED)
	// OutcomeUnknown: it may or may not have been applied.
	OutcomeUnknown = Outcome(kvstorethrift.Outcome_UNKNOWN)
)

// Error is every error of this package.
type Error struct {
	// Code is what went wrong, as the server says it. 0: the error arose in the client.
	Code Code
	// Message is what happened and what to do, for people.
	Message string
	// Retryable tells whether the same call can succeed a moment later, with nothing changed by this one.
	Retryable bool
	// Outcome is what became of the call.
	Outcome Outcome
	// ID names this error in the server's log.
	ID string
	// Details are figures of the failure, such as "limit" and "actual".
	Details map[string]string
	// FailedCheck is the place of the first check that failed, from 0. Only of an ErrConditionFailed.
	FailedCheck int

	kind   error
	cause  error
	repeat bool // whether the client itself may repeat the call
}

// Error gives the message with its kind and the error's id.
func (e *Error) Error() string {
	parts := []string{"kvstore"}
	if e.kind != nil {
		parts = append(parts, e.kind.Error())
	} else if e.Code != 0 {
		parts = append(parts, e.Code.String())
	}
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	if e.cause != nil {
		parts = append(parts, e.cause.Error())
	}
	text := strings.Join(parts, ": ")
	if e.ID != "" {
		text += " (error id " + e.ID + ")"
	}
	return text
}

// Is tells whether target is the error's kind. An error whose outcome is not known also is ErrOutcomeUnknown.
func (e *Error) Is(target error) bool {
	return target == e.kind || target == ErrOutcomeUnknown && e.Outcome == OutcomeUnknown
}

// Unwrap gives the reason where there is one: of a context, the network or Thrift.
func (e *Error) Unwrap() error {
	return e.cause
}

// kindOf gives the kind of a code, or nil for those without one.
func kindOf(code Code) error {
	switch code {
	case CodeInvalidRequest, CodeContinuationInvalid:
		return ErrInvalidRequest
	case CodeDatabaseNotFound, CodeTableNotFound, CodeNotFound:
		return ErrNotFound
	case CodeAlreadyExists, CodeDefinitionDiffers:
		return ErrAlreadyExists
	case CodeUnauthenticated:
		return ErrUnauthenticated
	case CodeTableDropped:
		return ErrTableDropped
	case CodeSnapshotExpired:
		return ErrSnapshotExpired
	case CodeTooLarge, CodeAnswerTooLarge:
		return ErrTooLarge
	case CodeCorruption:
		return ErrCorruption
	case CodeOverloaded, CodeStopping, CodeStoreFailed, CodeDiskFull:
		return ErrUnavailable
	case CodeOutcomeUnknown:
		return ErrOutcomeUnknown
	}
	return nil
}

// fromService gives the error that the server answered.
func fromService(answer *kvstorethrift.ServiceError) *Error {
	code := Code(answer.Code)
	if code < CodeInvalidRequest || code > CodeInternalError {
		code = CodeInternalError
	}
	return &Error{
		Code:      code,
		Message:   answer.GetMessage(),
		Retryable: answer.GetRetryable(),
		Outcome:   Outcome(answer.GetOutcome()),
		ID:        answer.GetErrorID(),
		Details:   answer.GetDetails(),
		kind:      kindOf(code),
	}
}

// fromCondition gives the error of a batch whose check does not hold.
func fromCondition(answer *kvstorethrift.ConditionFailed) *Error {
	return &Error{
		Message:     answer.GetMessage(),
		Outcome:     OutcomeFailed,
		FailedCheck: int(answer.FailedCheck),
		kind:        ErrConditionFailed,
	}
}

// invalid gives the error of a call that the client itself refuses.
func invalid(message string) *Error {
	return &Error{Code: CodeInvalidRequest, Message: message, Outcome: OutcomeRejected, kind: ErrInvalidRequest}
}

// notSent gives the error of a call of which nothing was sent.
func notSent(message string, cause error) *Error {
	return &Error{Message: message, Retryable: true, Outcome: OutcomeRejected, kind: ErrConnectionFailed, cause: cause}
}

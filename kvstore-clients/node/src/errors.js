import { thrift, types } from './generated.js';

/** The base of all errors of this package: what went wrong, for people (message) and for programs. */
export class KVStoreError extends Error {
  /**
   * @param {string} message what happened and what to do
   * @param {object} [fields] code, retryable, outcome, errorId, details and cause
   */
  constructor(message, fields = {}) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = new.target.name;
    this.code = fields.code ?? 'INTERNAL_ERROR';
    this.retryable = fields.retryable ?? false;
    this.outcome = fields.outcome;
    this.errorId = fields.errorId;
    this.details = fields.details ?? {};
  }
}

/** The call, a name, a URL or a continuation is not valid. */
export class InvalidRequestError extends KVStoreError {}

/** There is no such database, table or operation. A key without a value is not an error. */
export class NotFoundError extends KVStoreError {}

/** The table exists with another definition. */
export class AlreadyExistsError extends KVStoreError {}

/** The server wants a token, or does not know the one given. */
export class UnauthenticatedError extends KVStoreError {}

/** A check of a batch does not hold; nothing was applied. */
export class ConditionFailedError extends KVStoreError {
  /**
   * @param {string} message what happened
   * @param {number} failedCheck the place of the first check that failed, from 0
   */
  constructor(message, failedCheck) {
    super(message, { code: 'CONDITION_FAILED', outcome: 'FAILED' });
    this.failedCheck = failedCheck;
  }
}

/** The table was dropped or truncated while the call, a scan or a snapshot needed it. */
export class TableDroppedError extends KVStoreError {}

/** The snapshot is closed, its lease ran out, or its connection ended. */
export class SnapshotExpiredError extends KVStoreError {}

/** A key, value, list, request or answer is over a limit. */
export class TooLargeError extends KVStoreError {}

/** Stored bytes are damaged. */
export class CorruptionError extends KVStoreError {}

/** The server is overloaded or stopping, its disk is full, or its store failed. */
export class UnavailableError extends KVStoreError {}

/** The write may or may not have been applied: read it back. */
export class OutcomeUnknownError extends KVStoreError {}

/** The server was not reached or did not answer. No write of this call was applied. */
export class ConnectionFailedError extends KVStoreError {}

const CLASSES = {
  INVALID_REQUEST: InvalidRequestError,
  CONTINUATION_INVALID: InvalidRequestError,
  UNAUTHENTICATED: UnauthenticatedError,
  DATABASE_NOT_FOUND: NotFoundError,
  TABLE_NOT_FOUND: NotFoundError,
  NOT_FOUND: NotFoundError,
  ALREADY_EXISTS: AlreadyExistsError,
  DEFINITION_DIFFERS: AlreadyExistsError,
  TABLE_DROPPED: TableDroppedError,
  TOO_LARGE: TooLargeError,
  ANSWER_TOO_LARGE: TooLargeError,
  SNAPSHOT_EXPIRED: SnapshotExpiredError,
  CORRUPTION: CorruptionError,
  OVERLOADED: UnavailableError,
  STOPPING: UnavailableError,
  STORE_FAILED: UnavailableError,
  DISK_FULL: UnavailableError,
  OUTCOME_UNKNOWN: OutcomeUnknownError,
};

/** The error of a ServiceError that the server answered. */
export function fromService(answer) {
  const code = types.ErrorCode[answer.code] ?? 'INTERNAL_ERROR';
  return new (CLASSES[code] ?? KVStoreError)(answer.message ?? code, {
    code,
    retryable: answer.retryable ?? false,
    outcome: types.Outcome[answer.outcome],
    errorId: answer.error_id ?? undefined,
    details: answer.details ?? {},
  });
}

/** The error of an answer that is not a result. */
export function fromAnswer(answer, isWrite) {
  if (answer instanceof types.ServiceError) {
    return fromService(answer);
  }
  if (answer instanceof types.ConditionFailed) {
    return new ConditionFailedError(answer.message ?? 'a check of the batch does not hold', answer.failed_check);
  }
  const unknown = thrift.Thrift.TApplicationExceptionType.UNKNOWN_METHOD;
  const rejected = answer instanceof thrift.Thrift.TApplicationException && answer.type === unknown;
  const message = answer instanceof Error && answer.message ? answer.message : String(answer);
  return new KVStoreError(`the server did not do the call: ${message}`, {
    outcome: rejected ? 'REJECTED' : isWrite ? 'UNKNOWN' : 'FAILED',
    cause: answer,
  });
}

/** The error of a call that the client itself refuses. */
export function invalid(message, cause) {
  return new InvalidRequestError(message, { code: 'INVALID_REQUEST', outcome: 'REJECTED', cause });
}

/** What a connection failed with: never seen outside of this package. */
export class Broken extends Error {
  /**
   * @param {string} message what happened
   * @param {object} fields sent: whether anything of the call was sent; timedOut: whether its time was over; cause
   */
  constructor(message, fields) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.sent = fields.sent;
    this.timedOut = fields.timedOut ?? false;
  }

  /** The error that the caller of a read or of a write gets. */
  toError(isWrite) {
    if (isWrite && this.sent) {
      const message = `the write may or may not have been applied: ${this.message}`;
      return new OutcomeUnknownError(message, { code: 'OUTCOME_UNKNOWN', outcome: 'UNKNOWN', cause: this.cause });
    }
    return new ConnectionFailedError(this.message, {
      code: 'CONNECTION_FAILED',
      retryable: true,
      outcome: this.sent ? 'FAILED' : 'REJECTED',
      cause: this.cause,
    });
  }
}

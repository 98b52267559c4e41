/** What went wrong, for programs. CONDITION_FAILED and CONNECTION_FAILED come from the client. */
export type ErrorCode =
  | 'INVALID_REQUEST'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'DATABASE_NOT_FOUND'
  | 'TABLE_NOT_FOUND'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'DATABASE_NOT_EMPTY'
  | 'DEFINITION_DIFFERS'
  | 'TABLE_DROPPED'
  | 'TOO_LARGE'
  | 'ANSWER_TOO_LARGE'
  | 'SNAPSHOT_EXPIRED'
  | 'CONTINUATION_INVALID'
  | 'CORRUPTION'
  | 'STORAGE_FAILED'
  | 'DISK_FULL'
  | 'OVERLOADED'
  | 'OUTCOME_UNKNOWN'
  | 'STORE_FAILED'
  | 'STOPPING'
  | 'INTERNAL_ERROR'
  | 'CONDITION_FAILED'
  | 'CONNECTION_FAILED';

/** What became of a call: it was not tried, it was tried and not applied, or it may have been applied. */
export type Outcome = 'REJECTED' | 'FAILED' | 'UNKNOWN';

/** What an error has beside its message. */
export interface ErrorFields {
  code?: ErrorCode;
  retryable?: boolean;
  outcome?: Outcome;
  errorId?: string;
  details?: Record<string, string>;
  cause?: unknown;
}

/** The base of all errors of this package. */
export class KVStoreError extends Error {
  constructor(message: string, fields?: ErrorFields);

  readonly code: ErrorCode;
  /** Whether the same call can succeed a moment later, with nothing changed by this one. */
  readonly retryable: boolean;
  /** What became of the call; undefined if it was not told. */
  readonly outcome: Outcome | undefined;
  /** Names this error in the server's log. */
  readonly errorId: string | undefined;
  /** Figures of the failure, such as "limit" and "actual". */
  readonly details: Readonly<Record<string, string>>;
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
  constructor(message: string, failedCheck: number);

  /** The place of the first check that failed, from 0. */
  readonly failedCheck: number;
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

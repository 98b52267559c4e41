import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as api from 'kvstore-client';

import { fromAnswer } from '../../src/errors.js';
import { thrift, types } from '../../src/generated.js';
import { serviceError } from './stub.mjs';

const CLASSES = {
  INVALID_REQUEST: 'InvalidRequestError',
  UNAUTHENTICATED: 'UnauthenticatedError',
  PERMISSION_DENIED: 'KVStoreError',
  DATABASE_NOT_FOUND: 'NotFoundError',
  TABLE_NOT_FOUND: 'NotFoundError',
  NOT_FOUND: 'NotFoundError',
  ALREADY_EXISTS: 'AlreadyExistsError',
  DATABASE_NOT_EMPTY: 'KVStoreError',
  DEFINITION_DIFFERS: 'AlreadyExistsError',
  TABLE_DROPPED: 'TableDroppedError',
  TOO_LARGE: 'TooLargeError',
  ANSWER_TOO_LARGE: 'TooLargeError',
  SNAPSHOT_EXPIRED: 'SnapshotExpiredError',
  CONTINUATION_INVALID: 'InvalidRequestError',
  CORRUPTION: 'CorruptionError',
  STORAGE_FAILED: 'KVStoreError',
  DISK_FULL: 'UnavailableError',
  OVERLOADED: 'UnavailableError',
  OUTCOME_UNKNOWN: 'OutcomeUnknownError',
  STORE_FAILED: 'UnavailableError',
  STOPPING: 'UnavailableError',
  INTERNAL_ERROR: 'KVStoreError',
};

test('every code of the API has a class', () => {
  const codes = Object.keys(types.ErrorCode).filter((name) => !/^\d+$/.test(name));
  assert.deepEqual(codes.sort(), Object.keys(CLASSES).sort());
  for (const code of codes) {
    const error = fromAnswer(serviceError(code), false);
    assert.ok(error instanceof api[CLASSES[code]] && error instanceof api.KVStoreError);
    assert.equal(error.constructor.name, CLASSES[code]);
    assert.equal(error.name, CLASSES[code]);
    assert.equal(error.code, code);
    assert.equal(error.message, `stub: ${code}`);
  }
});

test('all fields of an error arrive', () => {
  const answer = serviceError('TOO_LARGE', {
    retryable: true,
    outcome: types.Outcome.FAILED,
    error_id: 'e1',
    details: { limit: '5' },
  });
  const { retryable, outcome, errorId, details } = fromAnswer(answer, true);
  assert.deepEqual(
    { retryable, outcome, errorId, details },
    {
      retryable: true,
      outcome: 'FAILED',
      errorId: 'e1',
      details: { limit: '5' },
    },
  );
});

test('a code that this client does not know, and none', () => {
  for (const answer of [new types.ServiceError({ code: 99 }), new types.ServiceError()]) {
    const error = fromAnswer(answer, false);
    assert.equal(error.constructor, api.KVStoreError);
    assert.equal(error.code, 'INTERNAL_ERROR');
    assert.equal(error.message, 'INTERNAL_ERROR');
    assert.equal(error.retryable, false);
    assert.equal(error.outcome, undefined);
  }
});

test('a check of a batch', () => {
  const error = fromAnswer(new types.ConditionFailed({ failed_check: 3 }), true);
  assert.ok(error instanceof api.ConditionFailedError);
  assert.equal(error.failedCheck, 3);
  assert.equal(error.outcome, 'FAILED');
});

test("an exception of Thrift's is a base error", () => {
  const { TApplicationException, TApplicationExceptionType } = thrift.Thrift;
  const unknown = new TApplicationException(TApplicationExceptionType.UNKNOWN_METHOD, 'no such method');
  const inner = new TApplicationException(TApplicationExceptionType.INTERNAL_ERROR, 'no luck');
  assert.equal(fromAnswer(unknown, true).constructor, api.KVStoreError);
  assert.equal(fromAnswer(unknown, true).outcome, 'REJECTED');
  assert.equal(fromAnswer(inner, true).outcome, 'UNKNOWN');
  assert.equal(fromAnswer(inner, false).outcome, 'FAILED');
  assert.match(fromAnswer(inner, false).message, /no luck/);
});

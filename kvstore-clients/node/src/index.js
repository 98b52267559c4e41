export { Batch } from './batch.js';
export { Client, connect } from './client.js';
export { Condition } from './condition.js';
export {
  AlreadyExistsError,
  ConditionFailedError,
  ConnectionFailedError,
  CorruptionError,
  InvalidRequestError,
  KVStoreError,
  NotFoundError,
  OutcomeUnknownError,
  SnapshotExpiredError,
  TableDroppedError,
  TooLargeError,
  UnauthenticatedError,
  UnavailableError,
} from './errors.js';
export { TableReader } from './reader.js';
export { Snapshot } from './snapshot.js';
export { Table } from './table.js';

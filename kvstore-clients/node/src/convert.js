import { fromService, invalid } from './errors.js';
import { thrift, types } from './generated.js';

const LARGEST_I32 = 0x7fffffff;

/** Bytes of a Buffer, another Uint8Array or a string, which is taken as UTF-8. */
export function toBytes(value, what) {
  if (Buffer.isBuffer(value)) {
    return value;
  }
  if (typeof value === 'string') {
    if (!value.isWellFormed()) {
      throw invalid(`${what} has half of a surrogate pair, which UTF-8 cannot express`);
    }
    return Buffer.from(value, 'utf8');
  }
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  throw invalid(`${what} is a Buffer, a Uint8Array or a string`);
}

/** A string, such as a name. */
export function toText(value, what) {
  if (typeof value !== 'string') {
    throw invalid(`${what} is a string`);
  }
  return value;
}

/** A whole number of 32 bits; null for one that is left out. */
export function toI32(value, what) {
  if (value === undefined) {
    return null;
  }
  if (!Number.isInteger(value) || Math.abs(value) > LARGEST_I32) {
    throw invalid(`${what} is a whole number of 32 bits`);
  }
  return value;
}

/** A whole number of 64 bits as the runtime takes it. */
export function toI64(value, what) {
  if (typeof value !== 'bigint' || BigInt.asIntN(64, value) !== value) {
    throw invalid(`${what} is a bigint of 64 bits`);
  }
  return thrift.fromBigInt(value);
}

/** A bigint, or a whole number that a number holds exactly, as 64 bits. */
export function toDelta(value) {
  return toI64(Number.isSafeInteger(value) ? BigInt(value) : value, 'a delta, unless it is a whole number below 2^53,');
}

/** A place in a value. */
export function toOffset(value) {
  if (value === undefined) {
    throw invalid('an offset is a whole number of 32 bits');
  }
  return toI32(value, 'an offset');
}

/** Options of a call. A name that is not known is an error, since a misspelt bound would be none. */
export function checkOptions(options, names) {
  if (typeof options !== 'object' || options === null) {
    throw invalid('options are an object');
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) {
      throw invalid(`there is no option ${JSON.stringify(name)}: only ${names.join(', ')}`);
    }
  }
  return options;
}

export function toTableName(database, table) {
  return new types.TableName({ database, table });
}

export function toWriteOptions(options = {}) {
  const { durability } = checkOptions(options, ['durability']);
  if (durability === undefined) {
    return null;
  }
  const number = toEnum(types.Durability, durability, 'durability');
  return new types.WriteOptions({ durability: number });
}

export function toCondition(condition) {
  const kind = toEnum(types.ConditionKind, condition?.kind, 'the kind of a condition');
  const tag = condition.kind === 'TAG_IS' ? toI64(condition.tag, 'a tag') : null;
  const value = condition.kind === 'VALUE_IS' ? toBytes(condition.value, 'a value') : null;
  return new types.Condition({ kind, tag, value });
}

/** The names of the options that make a range. */
export const RANGE_OPTIONS = ['start', 'startExclusive', 'stop', 'stopInclusive', 'prefix'];

export function toRange(range) {
  const bound = (name) => (range[name] === undefined ? null : toBytes(range[name], name));
  return new types.KeyRange({
    start_key: bound('start'),
    start_exclusive: range.startExclusive ?? null,
    stop_key: bound('stop'),
    stop_inclusive: range.stopInclusive ?? null,
    prefix: bound('prefix'),
  });
}

function toEnum(values, name, what) {
  const number = typeof name === 'string' ? values[name] : undefined;
  if (typeof number !== 'number') {
    const names = Object.keys(values).filter((each) => typeof values[each] === 'number');
    throw invalid(`${what} is one of ${names.join(', ')}`);
  }
  return number;
}

/** The name of an enum's value; UNKNOWN for one that a newer server has. */
function enumName(values, number) {
  return values[number] ?? 'UNKNOWN';
}

/**
 * Bytes of an answer. The runtime gives them as views of the whole frame: one that is small beside it is copied, so that a kept
 * key does not keep a page.
 */
export function fromBytes(bytes) {
  if (bytes === null) {
    return undefined;
  }
  return bytes.buffer.byteLength > 2 * bytes.length ? Buffer.from(bytes) : bytes;
}

/** A whole number of 64 bits as a bigint. */
export function fromI64(value) {
  return thrift.toBigInt(value);
}

/** A count or a size as a number. */
export function fromCount(value) {
  const number = Number(fromI64(value));
  if (!Number.isSafeInteger(number)) {
    throw new RangeError('a count of the answer is over 2^53');
  }
  return number;
}

function optional(value, convert) {
  return value === null ? undefined : convert(value);
}

function fromEntry(entry) {
  return {
    key: fromBytes(required(entry.key)),
    value: fromBytes(entry.value),
    valueBytes: optional(entry.value_bytes, fromCount),
  };
}

export function fromPage(page) {
  return { entries: required(page.entries).map(fromEntry), continuation: fromBytes(page.continuation) };
}

export function fromServerInfo(info) {
  return {
    version: info.version,
    engines: info.engines,
    durability: info.durability,
    maxKeyBytes: info.max_key_bytes,
    maxValueBytes: fromCount(required(info.max_value_bytes)),
    maxFrameBytes: info.max_frame_bytes,
    maxItems: info.max_items,
  };
}

/** A server of a version that does not say whether a table is ordered has only tables that are. */
export function fromTableInfo(info) {
  return {
    database: info.database,
    table: info.table,
    tableId: info.table_id,
    engine: info.engine,
    ordered: info.ordered ?? true,
    options: required(info.options),
  };
}

/** Options of a table: their values may be numbers and booleans, too. */
export function toTableOptions(options) {
  if (typeof options !== 'object' || options === null) {
    throw invalid('the options of a table are an object');
  }
  return Object.fromEntries(Object.entries(options).map(([option, value]) => [option, String(value)]));
}

/** Which database of which backup becomes which database. */
export function toRestore(backup, database, restoredAs) {
  return new types.Restore({
    backup_id: toBackupId(backup),
    database: toText(database, 'the name of a database'),
    restored_as: toText(restoredAs, 'the new name of a database'),
  });
}

/** The id of a backup, which may be told by the backup itself. */
export function toBackupId(backup) {
  return toI64(typeof backup === 'object' && backup !== null ? backup.id : backup, 'the id of a backup');
}

export function fromBackup(backup) {
  return {
    id: fromI64(required(backup.backup_id)),
    time: new Date(fromCount(required(backup.time_millis))),
    lsn: fromI64(required(backup.lsn)),
    storeBytes: fromCount(required(backup.store_bytes)),
    writtenBytes: fromCount(required(backup.written_bytes)),
    damage: optional(backup.damage, String),
  };
}

function fromRestore(restore) {
  return {
    backupId: fromI64(required(restore.backup_id)),
    database: required(restore.database),
    restoredAs: required(restore.restored_as),
  };
}

export function fromStats(stats) {
  return { numbers: required(stats.numbers), texts: required(stats.texts) };
}

export function fromOperation(operation) {
  const { table } = operation;
  return {
    id: fromI64(required(operation.operation_id)),
    kind: enumName(types.OperationKind, operation.kind),
    table: optional(table, () => ({ database: table.database, table: table.table })),
    state: enumName(types.OperationState, operation.state),
    seconds: operation.seconds,
    doneBytes: optional(operation.done_bytes, fromCount),
    totalBytes: optional(operation.total_bytes, fromCount),
    findingsTotal: optional(operation.findings_total, fromCount),
    findings: optional(operation.findings, (all) => all.map(({ place, message }) => ({ place, message }))),
    error: optional(operation.error, fromService),
    backup: optional(operation.backup, fromBackup),
    restore: optional(operation.restore, fromRestore),
  };
}

/** The generated code does not check that a required field came. */
function required(value) {
  if (value === null || value === undefined) {
    throw new TypeError('a required field of the answer is missing');
  }
  return value;
}

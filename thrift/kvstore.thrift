/*
 * KVStore over Apache Thrift: all that the HTTP API can do.
 *
 * Transport: framed. Protocol: strict binary or compact, each connection as its client likes. A frame may have
 * ServerInfo.max_frame_bytes; what a client reads should be set to the same.
 *
 * Rules of change: a field number, an enum value or a method name is never used again for something else; a new field is optional;
 * every method throws ServiceError from its first day. No enum is required, so that one more value does not break a client. Names are lower_snake_case for fields and lowerCamelCase for methods, and none
 * is a word of a language that has a generator.
 *
 * Keys have 0 to 65,535 bytes and are ordered as unsigned bytes; an empty value is a value. Database and table names are
 * [A-Za-z0-9][A-Za-z0-9_.-]{0,63}, exact case.
 */

namespace java io.kvstore.thrift
namespace py kvstore.gen
namespace go kvstorethrift
namespace js kvstore
namespace rs kvstore

// ------------------------------------------------------------------------------------------------------------- errors

/** What went wrong, for programs. Servers may add codes: treat an unknown one as INTERNAL_ERROR. */
enum ErrorCode {
  /** The request is not valid; the message says what is. */
  INVALID_REQUEST = 1
  /** The connection has to call authenticate first, or the token is not one of this server's. */
  UNAUTHENTICATED = 2
  /** The token does not allow this. */
  PERMISSION_DENIED = 3
  DATABASE_NOT_FOUND = 4
  TABLE_NOT_FOUND = 5
  /** There is no such operation, or it was forgotten since. */
  NOT_FOUND = 6
  ALREADY_EXISTS = 7
  DATABASE_NOT_EMPTY = 8
  /** The table exists with another engine or other options. */
  DEFINITION_DIFFERS = 9
  /** The table was dropped while the call needed it; it was truncated or created again since the continuation was given. */
  TABLE_DROPPED = 10
  /** A key, value, list or frame is over a limit that the message names. */
  TOO_LARGE = 11
  /** The answer would not fit into a frame: ask for less. */
  ANSWER_TOO_LARGE = 12
  /** The snapshot's lease ran out, or its connection ended. */
  SNAPSHOT_EXPIRED = 13
  /** The continuation is not one that this server gave for this scan. */
  CONTINUATION_INVALID = 14
  /** Stored bytes are damaged. Other tables go on. */
  CORRUPTION = 15
  /** An I/O operation failed; the server's log says which. */
  STORAGE_FAILED = 16
  DISK_FULL = 17
  /** Too much is being done already: try again a moment later. */
  OVERLOADED = 18
  /** The write may or may not have been applied: read it back. */
  OUTCOME_UNKNOWN = 19
  /** The store took no more writes after an I/O failure: it has to be opened again. */
  STORE_FAILED = 20
  /** The server is stopping: try another time. */
  STOPPING = 21
  /** The server made a mistake; its log has the cause under the error's id. */
  INTERNAL_ERROR = 22
}

/** What became of the call that an error ended. */
enum Outcome {
  /** It was not tried: nothing has changed. */
  REJECTED = 1
  /** It was tried and not applied: nothing has changed. */
  FAILED = 2
  /** It may or may not have been applied. */
  UNKNOWN = 3
}

/** Any failure. */
exception ServiceError {
  1: ErrorCode code
  /** What happened and what to do, for people. */
  2: optional string message
  /** Whether the same call can succeed a moment later, with nothing changed by this one. */
  3: optional bool retryable
  4: optional Outcome outcome
  /** Names this error in the server's log. */
  5: optional string error_id
  /** Figures of the failure, such as "limit" and "actual". */
  6: optional map<string, string> details
}

/** A check of a batch does not hold; nothing was applied. */
exception ConditionFailed {
  /** The place of the first check that failed, from 0. */
  1: required i32 failed_check
  2: optional string message
}

// ---------------------------------------------------------------------------------------------------- names and options

/** Where a table is found. */
struct TableName {
  1: required string database
  2: required string table
}

/** What an acknowledged write survives. */
enum Durability {
  /** As the table says. */
  TABLE_DEFAULT = 0
  /** A loss of power. */
  SYNC = 1
  /** The end of the process; a loss of power takes at most the last second. */
  BUFFERED = 2
}

struct WriteOptions {
  1: optional Durability durability
}

struct ReadOptions {
  /** Reads what this snapshot sees; absent: the newest. */
  1: optional i64 snapshot_id
  /** Whether GetResult.tag is wanted. */
  2: optional bool with_tag
}

/** A value, or that there is none. */
struct GetResult {
  /** Absent when the key has no value. */
  1: optional binary value
  /** The 64-bit hash of the value that HTTP shows as ETag; only if it was asked for. */
  2: optional i64 tag
}

// --------------------------------------------------------------------------------------------- conditions and batches

enum ConditionKind {
  /** The key has no value. */
  ABSENT = 1
  /** The key has a value. */
  EXISTS = 2
  /** The key's value has the tag. */
  TAG_IS = 3
  /** The key's value has exactly these bytes. */
  VALUE_IS = 4
}

struct Condition {
  1: ConditionKind kind
  /** For TAG_IS. */
  2: optional i64 tag
  /** For VALUE_IS. */
  3: optional binary value
}

/** A condition that must hold for a batch to be applied. */
struct Check {
  1: required binary key
  2: required Condition condition
  /** Another table of the same database; absent: the batch's. */
  3: optional string table
}

/** A part of a value that is overwritten. The value grows if the part ends behind its end. */
struct Patch {
  /** Where the part begins: 0 to the length of the present value. */
  1: required i32 offset
  2: required binary part
}

/**
 * A change that is computed from the present value, with no other write of the key in between. Exactly one field is set. The
 * result has at most 1 MiB, or the table's MAX_VALUE_BYTES if that is less.
 */
struct Merge {
  /** Added to the number that the value is, see KVStoreService.add. */
  1: optional i64 add
  /** Appended to the value. */
  2: optional binary append
  /** Overwrites a part of the value. */
  3: optional Patch patch
}

/** One change of a batch: a put, a merge or a removal. */
struct Mutation {
  1: required binary key
  /** The value to put; absent, with no merge: the key is removed. */
  2: optional binary value
  /** Another table of the same database; absent: the batch's. */
  3: optional string table
  /**
   * The merge to apply to what the mutations before it leave; not together with value. Only the method writeMerges takes it: a
   * server of a version without merges would take such a mutation for a removal.
   */
  5: optional Merge merge
}

/** Changes that are applied together or not at all, in the order given, if every check holds before all of them. */
struct Batch {
  1: required TableName table
  2: required list<Mutation> mutations
  3: optional list<Check> checks
}

// -------------------------------------------------------------------------------------------------------------- scans

/**
 * Keys between two bounds, each of them optional, or all keys with a prefix. A table that is not ordered takes only the range of all
 * keys, see TableInfo.ordered.
 */
struct KeyRange {
  1: optional binary start_key
  /** Whether start_key itself is left out. */
  2: optional bool start_exclusive
  3: optional binary stop_key
  /** Whether stop_key itself is taken. */
  4: optional bool stop_inclusive
  /** Instead of the bounds. */
  5: optional binary prefix
}

struct Entry {
  1: required binary key
  /** Absent when only keys were asked for, and when the value is too large for an answer. */
  2: optional binary value
  /** The value's size, only when it is left out because it is over ScanRequest.max_value_bytes: get it by its key. */
  3: optional i64 value_bytes
}

struct ScanRequest {
  1: required TableName table
  2: optional KeyRange range
  /** From the last key down. Refused by a table that is not ordered. */
  3: optional bool reversed
  4: optional bool keys_only
  /** Entries of a page: 1 to 100,000; absent: 1,000. */
  5: optional i32 max_entries
  /** Bytes of keys and values of a page, which has one entry at least: 1 to half a MiB less than a frame; absent: 1 MiB. */
  6: optional i32 max_bytes
  /** Larger values are told by size instead; absent: what fits into a frame. */
  7: optional i32 max_value_bytes
  /** ScanPage.continuation of the page before; the rest of the request is repeated. */
  8: optional binary continuation
  9: optional i64 snapshot_id
}

struct ScanPage {
  1: required list<Entry> entries
  /**
   * Gives the next page; absent when this was the last. The server keeps nothing for it: it is good after a restart of the server
   * and from another connection. It ends with TABLE_DROPPED when the table was dropped or truncated meanwhile.
   * Without a snapshot, a page shows what was written meanwhile.
   */
  2: optional binary continuation
}

/** A view of the whole store at one moment, until its lease runs out, it is closed or the connection that opened it ends. */
struct SnapshotLease {
  1: required i64 snapshot_id
  /** How long it lives after its last use. */
  2: required i32 lease_millis
}

// -------------------------------------------------------------------------------------- descriptions and maintenance

struct TableInfo {
  1: required string database
  2: required string table
  3: required i32 table_id
  /** "bplus", "hash" or "lsm". */
  4: required string engine
  /** Every parameter with its value. */
  5: required map<string, string> options
  /**
   * Whether the table keeps its entries in the order of keys; absent: it does. Any other table has an order of its own. It refuses
   * KeyRange's bounds and prefix, and ScanRequest.reversed, with INVALID_REQUEST; its scans go on with a continuation as others do.
   */
  6: optional bool ordered
}

struct ServerInfo {
  1: required string version
  2: required list<string> engines
  /** "sync" or "buffered". */
  3: required string durability
  4: required i32 max_key_bytes
  5: required i64 max_value_bytes
  6: required i32 max_frame_bytes
  /** Mutations of a batch, checks of a batch, keys of a multiGet. */
  7: required i32 max_items
}

/** Figures by their place, such as "engine.height"; which there are may change between versions. */
struct Stats {
  1: required map<string, double> numbers
  2: required map<string, string> texts
}

enum OperationKind {
  /** Brings a table's memory to its files. */
  FLUSH = 1
  /** Makes a checkpoint of the store. */
  CHECKPOINT = 2
  /** Compacts a table, or puts its values in order. */
  OPTIMIZE = 3
  /** Reads all of a table and checks it. */
  VERIFY = 4
  /** Makes a backup of the store in the server's directory for backups. */
  BACKUP = 5
  /** Reads every byte of all backups and checks it. */
  VERIFY_BACKUPS = 6
  /** Puts the tables of a database, as a backup has them, into a new database. */
  RESTORE = 7
}

enum OperationState {
  RUNNING = 1
  DONE = 2
  FAILED = 3
  CANCELLED = 4
}

/** Which database of which backup becomes which database. */
struct Restore {
  1: required i64 backup_id
  /** As the backup has it. */
  2: required string database
  /** The new name; there must be no such database. */
  3: required string restored_as
}

/** A backup of the server's store. */
struct Backup {
  1: required i64 backup_id
  /** When it was made, in milliseconds since 1970. */
  2: required i64 time_millis
  /** The operation up to which the backup has all. */
  3: required i64 lsn
  /** The size of the store that a restore makes. */
  4: required i64 store_bytes
  /** What this backup added to the directory. */
  5: required i64 written_bytes
  /** What is wrong with its description; absent: nothing is. */
  6: optional string damage
}

struct OperationRequest {
  1: OperationKind kind
  /** For FLUSH, OPTIMIZE and VERIFY. */
  2: optional TableName table
  /** For RESTORE. */
  3: optional Restore restore
}

/** A damaged place that VERIFY or VERIFY_BACKUPS found. */
struct Finding {
  1: required string place
  2: required string message
}

/** A job that runs on the server. It goes on when the connection ends; the last 100 ended ones are remembered. */
struct Operation {
  1: required i64 operation_id
  2: OperationKind kind
  /** Of FLUSH, OPTIMIZE and VERIFY. */
  3: optional TableName table
  4: OperationState state
  5: required double seconds
  /** Of those that can be cancelled: how far it is, of how much. */
  6: optional i64 done_bytes
  7: optional i64 total_bytes
  /** Of VERIFY and VERIFY_BACKUPS: how many there are in all. */
  8: optional i64 findings_total
  /** Of VERIFY and VERIFY_BACKUPS: the first of them. */
  9: optional list<Finding> findings
  /** Of FAILED. */
  10: optional ServiceError error
  /** Of BACKUP that is DONE. */
  11: optional Backup backup
  /** Of RESTORE. */
  12: optional Restore restore
}

// ------------------------------------------------------------------------------------------------------------ service

service KVStoreService {

  /** Answers. For checks of a connection; needs no token. */
  void ping() throws (1: ServiceError error)

  /** The first call of a connection, if the server was started with tokens. */
  void authenticate(1: string token) throws (1: ServiceError error)

  ServerInfo serverInfo() throws (1: ServiceError error)

  /** Names, sorted. */
  list<string> databases() throws (1: ServiceError error)

  /** Whether it is new; false when it was there. */
  bool createDatabase(1: string database) throws (1: ServiceError error)

  /** Refused while it has tables. */
  void dropDatabase(1: string database) throws (1: ServiceError error)

  /** Names, sorted. */
  list<string> tables(1: string database) throws (1: ServiceError error)

  /**
   * Creates a table, or describes it when it is there with this engine and each option given; else DEFINITION_DIFFERS. The engine is
   * "bplus", "hash" or "lsm"; options are those of the engine, such as MEM_CACHE_SIZE, or of any table, such as DURABILITY.
   */
  TableInfo createTable(1: TableName table, 2: string engine, 3: map<string, string> options) throws (1: ServiceError error)

  TableInfo describeTable(1: TableName table) throws (1: ServiceError error)

  /** Removes the table and its data. */
  void dropTable(1: TableName table) throws (1: ServiceError error)

  /** Removes the table's data. */
  void truncateTable(1: TableName table) throws (1: ServiceError error)

  GetResult get(1: TableName table, 2: binary key, 3: ReadOptions options) throws (1: ServiceError error)

  /** The values of several keys, in the order given, all as they were at one moment. */
  list<GetResult> multiGet(1: TableName table, 2: list<binary> keys, 3: ReadOptions options) throws (1: ServiceError error)

  bool contains(1: TableName table, 2: binary key, 3: ReadOptions options) throws (1: ServiceError error)

  void put(1: TableName table, 2: binary key, 3: binary value, 4: WriteOptions options) throws (1: ServiceError error)

  /** Removes a key, whether it has a value or not. */
  void remove(1: TableName table, 2: binary key, 3: WriteOptions options) throws (1: ServiceError error)

  /** Puts if the condition holds; tells whether it did. */
  bool putIf(1: TableName table, 2: binary key, 3: binary value, 4: Condition condition, 5: WriteOptions options)
      throws (1: ServiceError error)

  /** Removes if the condition holds; tells whether it did. */
  bool removeIf(1: TableName table, 2: binary key, 3: Condition condition, 4: WriteOptions options)
      throws (1: ServiceError error)

  /**
   * Adds to the number that a key has; returns the sum. The value is decimal text in ASCII, such as -7, of 64 bits; an absent key
   * counts as 0. A call whose outcome is not known must not be made again: it could add twice. So it is with append, and with the
   * answers of getAndPut and getAndRemove.
   */
  i64 add(1: TableName table, 2: binary key, 3: i64 delta, 4: WriteOptions options) throws (1: ServiceError error)

  /** Appends to the value of a key; returns its new length. An absent key counts as an empty value. */
  i32 append(1: TableName table, 2: binary key, 3: binary suffix, 4: WriteOptions options) throws (1: ServiceError error)

  /** Overwrites the bytes of a value from an offset on, 0 to the value's length; returns its new length. */
  i32 patch(1: TableName table, 2: binary key, 3: i32 offset, 4: binary part, 5: WriteOptions options)
      throws (1: ServiceError error)

  /**
   * Puts a value; returns the one before. If that does not fit into a frame, ANSWER_TOO_LARGE is thrown, and nothing was put.
   */
  GetResult getAndPut(1: TableName table, 2: binary key, 3: binary value, 4: WriteOptions options)
      throws (1: ServiceError error)

  /** Removes a key; returns its value. ANSWER_TOO_LARGE as for getAndPut. */
  GetResult getAndRemove(1: TableName table, 2: binary key, 3: WriteOptions options) throws (1: ServiceError error)

  /** Applies a batch without merges; returns its place in the store's log, which grows with each batch. */
  i64 write(1: Batch batch, 2: WriteOptions options) throws (1: ServiceError error, 2: ConditionFailed failed)

  /** As write, for a batch with or without merges. A server of a version without merges does not know the method. */
  i64 writeMerges(1: Batch batch, 2: WriteOptions options) throws (1: ServiceError error, 2: ConditionFailed failed)

  ScanPage scan(1: ScanRequest request) throws (1: ServiceError error)

  /** How many keys a range has. Reads no values. */
  i64 countKeys(1: TableName table, 2: KeyRange range, 3: ReadOptions options) throws (1: ServiceError error)

  /** Opens a snapshot that lives this long after its last use: 1,000 to 3,600,000 ms; 0: 60,000. Any connection may use it. */
  SnapshotLease openSnapshot(1: i32 lease_millis) throws (1: ServiceError error)

  /** Closes a snapshot; harmless when it is gone. */
  void closeSnapshot(1: i64 snapshot_id) throws (1: ServiceError error)

  Stats tableStats(1: TableName table) throws (1: ServiceError error)

  Stats storeStats() throws (1: ServiceError error)

  /** Starts a job and returns at once. */
  Operation startOperation(1: OperationRequest request) throws (1: ServiceError error)

  /** How far a job is. */
  Operation operation(1: i64 operation_id) throws (1: ServiceError error)

  /** Jobs that run and those that ended lately, oldest first. */
  list<Operation> operations() throws (1: ServiceError error)

  /**
   * Asks an OPTIMIZE, BACKUP, VERIFY_BACKUPS or RESTORE to stop at its next safe point. A backup or restore that stopped leaves
   * nothing. Others run to their end.
   */
  Operation cancelOperation(1: i64 operation_id) throws (1: ServiceError error)

  /** Gives a table another name in its database. Handles, snapshots and scans that are under way go on with it. */
  TableInfo renameTable(1: TableName table, 2: string name) throws (1: ServiceError error)

  /** Gives options of a table other values, at once and for good. Refuses an option that a table has for life. */
  TableInfo alterTable(1: TableName table, 2: map<string, string> options) throws (1: ServiceError error)

  /** The backups in the server's directory for backups, oldest first. */
  list<Backup> backups() throws (1: ServiceError error)

  /** Deletes a backup. Parts that others need stay. */
  void deleteBackup(1: i64 backup_id) throws (1: ServiceError error)
}

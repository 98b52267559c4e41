/// <reference types="node" />

import type { ConnectionOptions } from 'node:tls';

import type { KVStoreError } from './errors.js';

export * from './errors.js';

/** Keys and values: a string is taken as UTF-8. */
export type Bytes = Uint8Array | string;

/** What goes before the parameters of the URL. */
export interface ClientOptions {
  /** The token of the server. */
  token?: string;
  /** How long to connect at most, with the TLS handshake: 5,000. */
  connectTimeoutMs?: number;
  /** How long a call takes at most, with waiting for a connection and repetitions: 30,000. */
  timeoutMs?: number;
  /** How many connections there are at most, without those of snapshots: 8. */
  pool?: number;
  /** The largest request and answer: 17 MiB. It should be the server's. */
  maxFrameBytes?: number;
  /** How TLS is done, such as a root certificate (ca); for kvstores:// only. */
  tls?: ConnectionOptions;
}

/** Opens a client and checks that the server can be used with it. */
export function connect(url: string | URL, options?: ClientOptions): Promise<Client>;

/** A client of one server, for any number of calls at a time. */
export class Client implements AsyncDisposable {
  /**
   * Does not connect yet: the first call does.
   *
   * @param url kvstore://[TOKEN@]HOST[:PORT], or kvstores:// for TLS; with connect_timeout_ms, timeout_ms, pool and
   *     max_frame_bytes as parameters
   */
  constructor(url: string | URL, options?: ClientOptions);

  /** A handle on a table. It does no call, and does not say that the table exists. */
  table(database: string, name: string): Table;

  /** The server's version and limits. */
  serverInfo(): Promise<ServerInfo>;
  /** Checks that the server answers. */
  ping(): Promise<void>;

  /** The names of the databases, sorted. */
  databases(): Promise<string[]>;
  /** Creates a database; tells whether it is new. */
  createDatabase(database: string): Promise<boolean>;
  /** Removes a database that has no tables. */
  dropDatabase(database: string): Promise<void>;
  /** The names of a database's tables, sorted. */
  tables(database: string): Promise<string[]>;
  /** Creates a table, or describes it when it is there with this engine and these options. */
  createTable(
    database: string,
    name: string,
    engine: 'bplus' | 'hash' | 'lsm' | (string & {}),
    options?: TableOptions,
  ): Promise<TableInfo>;

  /** Opens a snapshot of the whole store, on a connection of its own. */
  snapshot(options?: SnapshotOptions): Promise<Snapshot>;

  /** Figures of the store. */
  stats(): Promise<Stats>;
  /** Makes a checkpoint of the store. */
  checkpoint(options?: OperationOptions): Promise<Operation>;

  /** Makes a backup of the store in the server's directory for backups: the backup of the operation. */
  backup(options?: OperationOptions): Promise<Operation>;
  /** The backups in the server's directory for backups, oldest first. */
  backups(): Promise<Backup[]>;
  /** Reads every byte of all backups and checks it. What it finds is in the findings of the operation. */
  verifyBackups(options?: OperationOptions): Promise<Operation>;
  /** Deletes a backup. Parts that others need stay. */
  deleteBackup(backup: bigint | Backup): Promise<void>;
  /**
   * Puts the tables of a database, as a backup has them, into a new database.
   *
   * @param backup the backup, or its id
   * @param database the name that the backup has
   * @param restoredAs the new name; there must be no such database
   */
  restore(
    backup: bigint | Backup,
    database: string,
    restoredAs: string,
    options?: OperationOptions,
  ): Promise<Operation>;

  /** Jobs that run and those that ended lately, oldest first. */
  operations(): Promise<Operation[]>;
  /** How far a job is. */
  operation(id: bigint | Operation): Promise<Operation>;
  /** Waits for the end of a job. Throws the error of one that failed. */
  waitForOperation(id: bigint | Operation): Promise<Operation>;
  /**
   * Asks an OPTIMIZE, BACKUP, VERIFY_BACKUPS or RESTORE to stop at its next safe point. A backup or restore that stopped
   * leaves nothing. Others run to their end.
   */
  cancelOperation(id: bigint | Operation): Promise<Operation>;

  /** Closes snapshots and connections, each when its call has ended. Later calls fail. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What can be read of a table: the newest, or what a snapshot sees. */
export class TableReader {
  protected constructor();

  /** The database's name. */
  readonly database: string;
  /** The table's name. */
  readonly name: string;

  /** The value of a key; undefined if it has none. */
  get(key: Bytes): Promise<Buffer | undefined>;
  /** The value of a key with its tag; undefined if it has none. */
  getWithTag(key: Bytes): Promise<TaggedValue | undefined>;
  /** The values of several keys in their order, all as they were at one moment; undefined for a key that has none. */
  getAll(keys: Iterable<Bytes>): Promise<(Buffer | undefined)[]>;
  /** Whether a key has a value. */
  contains(key: Bytes): Promise<boolean>;
  /** How many keys a range has; without one, the table. */
  count(range?: KeyRange): Promise<number>;
  /** The entries of a range in the order of their keys, fetched page by page. */
  scan(options?: ScanOptions): AsyncGenerator<Entry, void, undefined>;
  /** One page of a scan. Its continuation gives the next one, with the same options, even in another process. */
  scanPage(options?: PageOptions): Promise<ScanPage>;
}

/** A handle on one table. It is no more than the name. */
export class Table extends TableReader {
  private constructor();

  /** Puts a value. */
  put(key: Bytes, value: Bytes, options?: WriteOptions): Promise<void>;
  /** Removes a key, whether it has a value or not. */
  remove(key: Bytes, options?: WriteOptions): Promise<void>;

  /** Puts if the condition holds; tells whether it did. */
  putIf(key: Bytes, value: Bytes, condition: Condition, options?: WriteOptions): Promise<boolean>;
  /** Removes if the condition holds; tells whether it did. */
  removeIf(key: Bytes, condition: Condition, options?: WriteOptions): Promise<boolean>;
  /** Puts if the key has no value; tells whether it did. */
  putIfAbsent(key: Bytes, value: Bytes, options?: WriteOptions): Promise<boolean>;
  /** Puts if the key has the expected value; tells whether it did. */
  replace(key: Bytes, expected: Bytes, value: Bytes, options?: WriteOptions): Promise<boolean>;
  /** Removes if the key has the expected value; tells whether it did. */
  removeExpecting(key: Bytes, expected: Bytes, options?: WriteOptions): Promise<boolean>;

  /**
   * Adds to the number that a key has; gives the sum. The value is decimal text of 64 bits, such as "-7"; a key without a value
   * counts as 0. A call that ended with OutcomeUnknownError must not simply be made again: it could add twice.
   *
   * @param delta a bigint of 64 bits, or a whole number below 2^53
   */
  add(key: Bytes, delta: bigint | number, options?: WriteOptions): Promise<bigint>;
  /** Appends to a value, up to 1 MiB; gives its new length. An unknown outcome is as with add. */
  append(key: Bytes, suffix: Bytes, options?: WriteOptions): Promise<number>;
  /** Overwrites a part of a value; gives its new length. The offset is 0 to the length of the present value. */
  patch(key: Bytes, offset: number, part: Bytes, options?: WriteOptions): Promise<number>;
  /**
   * Puts a value; gives the one before, undefined if there was none. When that does not fit into an answer the outcome of the
   * TooLargeError tells whether the value was put: it was not if it is REJECTED.
   */
  getAndPut(key: Bytes, value: Bytes, options?: WriteOptions): Promise<Buffer | undefined>;
  /** Removes a key; gives its value, undefined if it had none. It fails as getAndPut does. */
  getAndRemove(key: Bytes, options?: WriteOptions): Promise<Buffer | undefined>;

  /** Begins a batch of changes to this table and others of its database. */
  batch(): Batch;

  /** The table's engine and options. */
  describe(): Promise<TableInfo>;
  /**
   * Gives the table another name in its database; gives the handle of the new name. From then on this one and others of the old
   * name find no table, or another one that was given the name since.
   */
  rename(name: string): Promise<Table>;
  /** Gives options other values, at once and for good; describes the table. An option that a table has for life is refused. */
  alter(options: TableOptions): Promise<TableInfo>;
  /** Removes all entries. */
  truncate(): Promise<void>;
  /** Removes the table and its data. */
  drop(): Promise<void>;
  /** Figures of the table. */
  stats(): Promise<Stats>;

  /** Brings the table's memory to its files. */
  flush(options?: OperationOptions): Promise<Operation>;
  /** Compacts the table, or puts its values in order. */
  optimize(options?: OperationOptions): Promise<Operation>;
  /** Reads all of the table and checks it. What it finds is in the findings of the operation. */
  verify(options?: OperationOptions): Promise<Operation>;
}

/**
 * Changes of tables of one database that are applied together or not at all, in their order, if every check holds before all of
 * them. Another table than that of the batch is told by its handle or its name.
 */
export class Batch {
  private constructor();

  /** Adds a put. */
  put(key: Bytes, value: Bytes, table?: TableReader | string): this;
  /** Adds a removal. */
  remove(key: Bytes, table?: TableReader | string): this;
  /** Adds an addition to a number, see Table.add. */
  add(key: Bytes, delta: bigint | number, table?: TableReader | string): this;
  /** Adds bytes to be appended to a value, see Table.append. */
  append(key: Bytes, suffix: Bytes, table?: TableReader | string): this;
  /** Adds a part of a value to be overwritten, see Table.patch. */
  patch(key: Bytes, offset: number, part: Bytes, table?: TableReader | string): this;
  /** Adds a condition that must hold for the batch to be applied. */
  check(key: Bytes, condition: Condition, table?: TableReader | string): this;
  /** Applies the batch; gives its place in the store's log, which grows with each batch. */
  commit(options?: WriteOptions): Promise<bigint>;
}

/** A view of the whole store at one moment. It ends with its connection, and when it was not used for its lease. */
export class Snapshot implements AsyncDisposable {
  private constructor();

  /** The snapshot's number on the server. */
  readonly id: bigint;
  /** How long the snapshot lives after its last use. */
  readonly leaseMillis: number;

  /** A table as the snapshot sees it. */
  table(database: string, name: string): TableReader;
  /** Closes the snapshot and its connection. Harmless when it is closed or gone. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The condition of a conditional write or of a check. A tag is a signed number of 64 bits. */
export type Condition =
  { kind: 'ABSENT' } | { kind: 'EXISTS' } | { kind: 'TAG_IS'; tag: bigint } | { kind: 'VALUE_IS'; value: Bytes };

export const Condition: {
  /** The key has no value. */
  absent(): Condition;
  /** The key has a value. */
  exists(): Condition;
  /** The key's value has this tag. */
  tagIs(tag: bigint): Condition;
  /** The key's value has exactly these bytes. */
  valueIs(value: Bytes): Condition;
};

/** Keys between two bounds, each of them optional, or all keys with a prefix. */
export interface KeyRange {
  start?: Bytes;
  /** Whether start itself is left out. */
  startExclusive?: boolean;
  stop?: Bytes;
  /** Whether stop itself is taken. */
  stopInclusive?: boolean;
  /** Instead of the bounds. */
  prefix?: Bytes;
}

export interface PageOptions extends KeyRange {
  /** From the last key down. */
  reversed?: boolean;
  keysOnly?: boolean;
  /** Entries of a page: 1 to 100,000; 1,000 if not given. */
  pageSize?: number;
  /** Bytes of keys and values of a page: 1 MiB if not given. */
  pageBytes?: number;
  /** Larger values are told by their size; if not given, those that do not fit into a frame. */
  maxValueBytes?: number;
  /** ScanPage.continuation of the page before; the rest of the options is repeated. */
  continuation?: Uint8Array;
}

export interface ScanOptions extends PageOptions {
  /** How many entries there are in all at most. */
  limit?: number;
}

export interface Entry {
  key: Buffer;
  /** Undefined with keysOnly, and when the value is too large for an answer. */
  value: Buffer | undefined;
  /** The value's size, only when it is left out because it is too large: get it by its key. */
  valueBytes: number | undefined;
}

export interface ScanPage {
  entries: Entry[];
  /** Gives the next page; undefined when this was the last. */
  continuation: Buffer | undefined;
}

export interface TaggedValue {
  value: Buffer;
  /** The hash of the value that HTTP shows as ETag: all 64 bits, signed. */
  tag: bigint;
}

/** Options of a table's engine, such as MEM_CACHE_SIZE, or of any table, such as DURABILITY. */
export type TableOptions = Record<string, string | number | boolean>;

export interface WriteOptions {
  /** What the acknowledged write survives: SYNC a loss of power, BUFFERED the end of the process. */
  durability?: 'TABLE_DEFAULT' | 'SYNC' | 'BUFFERED';
}

export interface SnapshotOptions {
  /** How long the snapshot lives after its last use: 1,000 to 3,600,000; 60,000 if not given. */
  leaseMillis?: number;
}

export interface OperationOptions {
  /** Whether to wait for the end: true if not given. */
  wait?: boolean;
}

/** A job that runs on the server. It goes on when the client ends. */
export interface Operation {
  id: bigint;
  kind: 'FLUSH' | 'CHECKPOINT' | 'OPTIMIZE' | 'VERIFY' | 'BACKUP' | 'VERIFY_BACKUPS' | 'RESTORE' | 'UNKNOWN';
  /** Of FLUSH, OPTIMIZE and VERIFY. */
  table: { database: string; table: string } | undefined;
  state: 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED' | 'UNKNOWN';
  seconds: number;
  /** How much of the work is done, where the job counts it. */
  doneBytes: number | undefined;
  totalBytes: number | undefined;
  /** Of VERIFY and VERIFY_BACKUPS: how many findings there are in all. */
  findingsTotal: number | undefined;
  /** Of VERIFY and VERIFY_BACKUPS: the first findings. */
  findings: Finding[] | undefined;
  /** Of FAILED. */
  error: KVStoreError | undefined;
  /** Of BACKUP that is DONE. */
  backup: Backup | undefined;
  /** Of RESTORE. */
  restore: Restore | undefined;
}

/** A backup of the server's store. */
export interface Backup {
  id: bigint;
  /** When it was made. */
  time: Date;
  /** The operation up to which the backup has all. */
  lsn: bigint;
  /** The size of the store that a restore makes. */
  storeBytes: number;
  /** What this backup added to the directory. */
  writtenBytes: number;
  /** What is wrong with its description; undefined: nothing is. Client.verifyBackups reads the rest. */
  damage: string | undefined;
}

/** Which database of which backup becomes which database. */
export interface Restore {
  backupId: bigint;
  /** The name that the backup has. */
  database: string;
  /** The new name. */
  restoredAs: string;
}

/** A damaged place that VERIFY or VERIFY_BACKUPS found. */
export interface Finding {
  place: string;
  message: string;
}

export interface TableInfo {
  database: string;
  table: string;
  tableId: number;
  engine: string;
  /**
   * Whether the table keeps its entries in the order of keys. Any other table has an order of its own: it refuses bounds, a prefix
   * and `reversed`.
   */
  ordered: boolean;
  /** Every parameter with its value. */
  options: Record<string, string>;
}

export interface ServerInfo {
  version: string;
  engines: string[];
  durability: string;
  maxKeyBytes: number;
  maxValueBytes: number;
  maxFrameBytes: number;
  /** Mutations of a batch, checks of a batch, keys of getAll. */
  maxItems: number;
}

/** Figures by their place, such as "engine.height"; which there are may change between versions. */
export interface Stats {
  numbers: Record<string, number>;
  texts: Record<string, string>;
}

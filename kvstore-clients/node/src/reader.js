import * as convert from './convert.js';
import { invalid } from './errors.js';
import { types } from './generated.js';

const PAGE_ENTRIES = 1_000;
const PAGE_OPTIONS = [
  ...convert.RANGE_OPTIONS,
  'reversed',
  'keysOnly',
  'pageSize',
  'pageBytes',
  'maxValueBytes',
  'continuation',
];
const SCAN_OPTIONS = [...PAGE_OPTIONS, 'limit'];

/** What can be read of a table: the newest, or what a snapshot sees. */
export class TableReader {
  #calls;
  #name;
  #snapshotId;

  /**
   * @param {{run: Function}} calls does the calls
   * @param {string} database the database's name
   * @param {string} name the table's name
   * @param {object} [snapshotId] the snapshot to read, as the runtime has it
   */
  constructor(calls, database, name, snapshotId = null) {
    this.#calls = calls;
    this.#name = convert.toTableName(
      convert.toText(database, 'the name of a database'),
      convert.toText(name, 'the name of a table'),
    );
    this.#snapshotId = snapshotId;
  }

  /** The database's name. */
  get database() {
    return this.#name.database;
  }

  /** The table's name. */
  get name() {
    return this.#name.table;
  }

  /** The value of a key; undefined if it has none. */
  async get(key) {
    const args = [this.#name, convert.toBytes(key, 'a key'), this.#readOptions()];
    return await this.#calls.run('get', args, (result) => convert.fromBytes(result.value));
  }

  /** The value of a key with its tag; undefined if it has none. */
  async getWithTag(key) {
    const args = [this.#name, convert.toBytes(key, 'a key'), this.#readOptions(true)];
    return await this.#calls.run('get', args, ({ value, tag }) =>
      value === null ? undefined : { value: convert.fromBytes(value), tag: convert.fromI64(tag) },
    );
  }

  /** The values of several keys in their order, all as they were at one moment; undefined for a key that has none. */
  async getAll(keys) {
    if (typeof keys === 'string') {
      throw invalid('keys are a list of keys, not one key, whose letters would be taken for keys');
    }
    const bytes = Array.from(keys, (key) => convert.toBytes(key, 'a key'));
    return await this.#calls.run('multiGet', [this.#name, bytes, this.#readOptions()], (results) => {
      if (results.length !== bytes.length) {
        throw new RangeError(`${results.length} values for ${bytes.length} keys`);
      }
      return results.map(({ value }) => convert.fromBytes(value));
    });
  }

  /** Whether a key has a value. */
  async contains(key) {
    return await this.#calls.run('contains', [this.#name, convert.toBytes(key, 'a key'), this.#readOptions()]);
  }

  /** How many keys a range has. */
  async count(range = {}) {
    const bounds = convert.toRange(convert.checkOptions(range, convert.RANGE_OPTIONS));
    return await this.#calls.run('countKeys', [this.#name, bounds, this.#readOptions()], convert.fromCount);
  }

  /** The entries of a range in the order of their keys, fetched page by page. */
  async *scan(options = {}) {
    const { limit = Infinity, ...rest } = convert.checkOptions(options, SCAN_OPTIONS);
    if (limit !== Infinity && !(Number.isInteger(limit) && limit >= 0)) {
      throw invalid('limit is a whole number, 0 at least');
    }
    const request = { ...rest };
    for (let left = limit; left > 0;) {
      request.pageSize = left < (rest.pageSize ?? PAGE_ENTRIES) ? left : rest.pageSize;
      const page = await this.scanPage(request);
      for (const entry of page.entries.slice(0, left)) {
        yield entry;
      }
      left -= page.entries.length;
      request.continuation = page.continuation;
      if (page.continuation === undefined) {
        return;
      }
    }
  }

  /** One page of a scan, and the continuation that gives the next one: undefined after the last page. */
  async scanPage(options = {}) {
    convert.checkOptions(options, PAGE_OPTIONS);
    const { continuation } = options;
    const request = new types.ScanRequest({
      table: this.#name,
      range: convert.toRange(options),
      reversed: options.reversed ?? null,
      keys_only: options.keysOnly ?? null,
      max_entries: convert.toI32(options.pageSize, 'pageSize'),
      max_bytes: convert.toI32(options.pageBytes, 'pageBytes'),
      max_value_bytes: convert.toI32(options.maxValueBytes, 'maxValueBytes'),
      continuation: continuation === undefined ? null : convert.toBytes(continuation, 'a continuation'),
      snapshot_id: this.#snapshotId,
    });
    return await this.#calls.run('scan', [request], convert.fromPage);
  }

  #readOptions(withTag = false) {
    if (!withTag && this.#snapshotId === null) {
      return null;
    }
    return new types.ReadOptions({ snapshot_id: this.#snapshotId, with_tag: withTag ? true : null });
  }
}

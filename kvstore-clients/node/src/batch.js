import * as convert from './convert.js';
import { invalid } from './errors.js';
import { types } from './generated.js';

/**
 * Changes of tables of one database that are applied together or not at all, in their order, if every check holds before all of
 * them.
 */
export class Batch {
  #calls;
  #database;
  #table;
  #mutations = [];
  #checks = [];

  constructor(calls, database, table) {
    this.#calls = calls;
    this.#database = database;
    this.#table = table;
  }

  /** Adds a put. Another table of the database is told by its handle or its name. */
  put(key, value, table) {
    const bytes = copy(value, 'a value');
    this.#mutations.push(new types.Mutation({ key: copy(key, 'a key'), value: bytes, table: this.#other(table) }));
    return this;
  }

  /** Adds a removal. */
  remove(key, table) {
    this.#mutations.push(new types.Mutation({ key: copy(key, 'a key'), table: this.#other(table) }));
    return this;
  }

  /** Adds an addition to a number, see Table.add. */
  add(key, delta, table) {
    return this.#merge(key, { add: convert.toDelta(delta) }, table);
  }

  /** Adds bytes to be appended to a value, see Table.append. */
  append(key, suffix, table) {
    return this.#merge(key, { append: copy(suffix, 'a suffix') }, table);
  }

  /** Adds a part of a value to be overwritten, see Table.patch. */
  patch(key, offset, part, table) {
    const patch = new types.Patch({ offset: convert.toOffset(offset), part: copy(part, 'a part') });
    return this.#merge(key, { patch }, table);
  }

  #merge(key, fields, table) {
    const merge = new types.Merge(fields);
    this.#mutations.push(new types.Mutation({ key: copy(key, 'a key'), merge, table: this.#other(table) }));
    return this;
  }

  /** Adds a condition that must hold for the batch to be applied. */
  check(key, condition, table) {
    const bytes = copy(key, 'a key');
    const checked = convert.toCondition(condition);
    this.#checks.push(new types.Check({ key: bytes, condition: checked, table: this.#other(table) }));
    return this;
  }

  /** Applies the batch; gives its place in the store's log, which grows with each batch. */
  async commit(options) {
    const batch = new types.Batch({
      table: convert.toTableName(this.#database, this.#table),
      mutations: this.#mutations,
      checks: this.#checks.length === 0 ? null : this.#checks,
    });
    // A server without merges would take one for a removal. It does not know the method.
    const method = this.#mutations.some((mutation) => mutation.merge) ? 'writeMerges' : 'write';
    return await this.#calls.run(method, [batch, convert.toWriteOptions(options)], convert.fromI64);
  }

  #other(table) {
    if (table === undefined) {
      return null;
    }
    if (typeof table === 'string') {
      return table;
    }
    if (typeof table?.name !== 'string' || table.database !== this.#database) {
      throw invalid(`another table of a batch is one of the database ${this.#database}`);
    }
    return table.name;
  }
}

/** The batch is encoded later: what the caller does with its buffers meanwhile must not change it. */
function copy(value, what) {
  const bytes = convert.toBytes(value, what);
  return typeof value === 'string' ? bytes : Buffer.from(bytes);
}

import { Batch } from './batch.js';
import { Condition } from './condition.js';
import * as convert from './convert.js';
import { OperationRunner } from './operations.js';
import { TableReader } from './reader.js';

/** A handle on one table: its name, and no more. It does not say that the table exists. */
export class Table extends TableReader {
  #calls;
  #name;

  constructor(calls, database, name) {
    super(calls, database, name);
    this.#calls = calls;
    this.#name = convert.toTableName(this.database, this.name);
  }

  /** Puts a value. */
  async put(key, value, options) {
    await this.#calls.run('put', [
      this.#name,
      convert.toBytes(key, 'a key'),
      convert.toBytes(value, 'a value'),
      convert.toWriteOptions(options),
    ]);
  }

  /** Removes a key, whether it has a value or not. */
  async remove(key, options) {
    const args = [this.#name, convert.toBytes(key, 'a key'), convert.toWriteOptions(options)];
    await this.#calls.run('remove', args);
  }

  /** Puts if the condition holds; tells whether it did. */
  async putIf(key, value, condition, options) {
    return await this.#calls.run('putIf', [
      this.#name,
      convert.toBytes(key, 'a key'),
      convert.toBytes(value, 'a value'),
      convert.toCondition(condition),
      convert.toWriteOptions(options),
    ]);
  }

  /** Removes if the condition holds; tells whether it did. */
  async removeIf(key, condition, options) {
    return await this.#calls.run('removeIf', [
      this.#name,
      convert.toBytes(key, 'a key'),
      convert.toCondition(condition),
      convert.toWriteOptions(options),
    ]);
  }

  /** Puts if the key has no value; tells whether it did. */
  async putIfAbsent(key, value, options) {
    return await this.putIf(key, value, Condition.absent(), options);
  }

  /** Puts if the key has the expected value; tells whether it did. */
  async replace(key, expected, value, options) {
    return await this.putIf(key, value, Condition.valueIs(expected), options);
  }

  /** Removes if the key has the expected value; tells whether it did. */
  async removeExpecting(key, expected, options) {
    return await this.removeIf(key, Condition.valueIs(expected), options);
  }

  /**
   * Adds to the number that a key has; gives the sum. The value is decimal text of 64 bits; a key without a value counts as 0.
   * A call that ended with OutcomeUnknownError must not simply be made again: it could add twice.
   */
  async add(key, delta, options) {
    const bytes = convert.toBytes(key, 'a key');
    const args = [this.#name, bytes, convert.toDelta(delta), convert.toWriteOptions(options)];
    return await this.#calls.run('add', args, convert.fromI64);
  }

  /** Appends to a value; gives its new length. Like add, it is not to be repeated when its outcome is unknown. */
  async append(key, suffix, options) {
    return await this.#calls.run('append', [
      this.#name,
      convert.toBytes(key, 'a key'),
      convert.toBytes(suffix, 'a suffix'),
      convert.toWriteOptions(options),
    ]);
  }

  /** Overwrites a part of a value, from an offset up to its length; gives its new length. */
  async patch(key, offset, part, options) {
    return await this.#calls.run('patch', [
      this.#name,
      convert.toBytes(key, 'a key'),
      convert.toOffset(offset),
      convert.toBytes(part, 'a part'),
      convert.toWriteOptions(options),
    ]);
  }

  /** Puts a value; gives the one before, undefined if there was none. */
  async getAndPut(key, value, options) {
    const args = [
      this.#name,
      convert.toBytes(key, 'a key'),
      convert.toBytes(value, 'a value'),
      convert.toWriteOptions(options),
    ];
    return await this.#calls.run('getAndPut', args, (result) => convert.fromBytes(result.value));
  }

  /** Removes a key; gives its value, undefined if it had none. */
  async getAndRemove(key, options) {
    const args = [this.#name, convert.toBytes(key, 'a key'), convert.toWriteOptions(options)];
    return await this.#calls.run('getAndRemove', args, (result) => convert.fromBytes(result.value));
  }

  /** Begins a batch of changes to this table and others of its database. */
  batch() {
    return new Batch(this.#calls, this.database, this.name);
  }

  /** The table's engine and options. */
  async describe() {
    return await this.#calls.run('describeTable', [this.#name], convert.fromTableInfo);
  }

  /** Gives the table another name in its database; gives the handle of the new name. This one finds the table no more. */
  async rename(name) {
    const args = [this.#name, convert.toText(name, 'the name of a table')];
    return await this.#calls.run('renameTable', args, (info) => new Table(this.#calls, info.database, info.table));
  }

  /** Gives options other values, at once and for good; describes the table with them. */
  async alter(options) {
    return await this.#calls.run('alterTable', [this.#name, convert.toTableOptions(options)], convert.fromTableInfo);
  }

  /** Removes all entries. */
  async truncate() {
    await this.#calls.run('truncateTable', [this.#name]);
  }

  /** Removes the table and its data. */
  async drop() {
    await this.#calls.run('dropTable', [this.#name]);
  }

  /** Figures of the table. */
  async stats() {
    return await this.#calls.run('tableStats', [this.#name], convert.fromStats);
  }

  /** Brings the table's memory to its files. */
  async flush(options) {
    return await new OperationRunner(this.#calls).start('FLUSH', { table: this.#name }, options);
  }

  /** Compacts the table, or puts its values in order. */
  async optimize(options) {
    return await new OperationRunner(this.#calls).start('OPTIMIZE', { table: this.#name }, options);
  }

  /** Reads all of the table and checks it. What it finds is in the findings of the operation. */
  async verify(options) {
    return await new OperationRunner(this.#calls).start('VERIFY', { table: this.#name }, options);
  }
}

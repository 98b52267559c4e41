import { Calls } from './calls.js';
import * as convert from './convert.js';
import { ConnectionFailedError } from './errors.js';
import { OperationRunner } from './operations.js';
import { Pool } from './pool.js';
import { readSettings } from './settings.js';
import { Snapshot } from './snapshot.js';
import { Table } from './table.js';

/** Opens a client and checks that the server can be used with it. */
export async function connect(url, options) {
  const client = new Client(url, options);
  try {
    await client.serverInfo();
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** A client of one server, for any number of calls at a time. It connects when it is first used. */
export class Client {
  #settings;
  #pool;
  #calls;
  #operations;
  #snapshots = new Set();
  #closing = null;

  /**
   * @param {string | URL} url kvstore://[TOKEN@]HOST[:PORT], or kvstores:// for TLS
   * @param {object} [options] go before the parameters of the URL
   */
  constructor(url, options) {
    this.#settings = readSettings(url, options);
    this.#pool = new Pool(this.#settings);
    this.#calls = new Calls(this.#pool, this.#settings, true);
    this.#operations = new OperationRunner(this.#calls);
  }

  /** A handle on a table. It does no call. */
  table(database, name) {
    return new Table(this.#calls, database, name);
  }

  /** The server's version and limits. */
  async serverInfo() {
    return await this.#calls.run('serverInfo', [], convert.fromServerInfo);
  }

  /** Checks that the server answers. */
  async ping() {
    await this.#calls.run('ping', []);
  }

  /** The names of the databases, sorted. */
  async databases() {
    return await this.#calls.run('databases', []);
  }

  /** Creates a database; tells whether it is new. */
  async createDatabase(database) {
    return await this.#calls.run('createDatabase', [convert.toText(database, 'the name of a database')]);
  }

  /** Removes a database that has no tables. */
  async dropDatabase(database) {
    await this.#calls.run('dropDatabase', [convert.toText(database, 'the name of a database')]);
  }

  /** The names of a database's tables, sorted. */
  async tables(database) {
    return await this.#calls.run('tables', [convert.toText(database, 'the name of a database')]);
  }

  /** Creates a table, or describes it when it is there with this definition. */
  async createTable(database, name, engine, options = {}) {
    const table = convert.toTableName(
      convert.toText(database, 'the name of a database'),
      convert.toText(name, 'the name of a table'),
    );
    const args = [table, convert.toText(engine, 'an engine'), convert.toTableOptions(options)];
    return await this.#calls.run('createTable', args, convert.fromTableInfo);
  }

  /** Opens a snapshot of the whole store, on a connection of its own. */
  async snapshot(options = {}) {
    const { leaseMillis = 0 } = convert.checkOptions(options, ['leaseMillis']);
    this.#checkOpen();
    const lease = convert.toI32(leaseMillis, 'leaseMillis');
    const snapshot = await Snapshot.open(this.#settings, lease, (closed) => this.#snapshots.delete(closed));
    this.#snapshots.add(snapshot);
    if (this.#closing !== null) {
      await snapshot.close();
      this.#checkOpen();
    }
    return snapshot;
  }

  /** Figures of the store. */
  async stats() {
    return await this.#calls.run('storeStats', [], convert.fromStats);
  }

  /** Makes a checkpoint of the store. */
  async checkpoint(options) {
    return await this.#operations.start('CHECKPOINT', {}, options);
  }

  /** Makes a backup of the store in the server's directory for backups. */
  async backup(options) {
    return await this.#operations.start('BACKUP', {}, options);
  }

  /** The backups in the server's directory for backups, oldest first. */
  async backups() {
    return await this.#calls.run('backups', [], (all) => all.map(convert.fromBackup));
  }

  /** Reads every byte of all backups and checks it. What it finds is in the findings of the operation. */
  async verifyBackups(options) {
    return await this.#operations.start('VERIFY_BACKUPS', {}, options);
  }

  /** Deletes a backup. Parts that others need stay. */
  async deleteBackup(backup) {
    await this.#calls.run('deleteBackup', [convert.toBackupId(backup)]);
  }

  /** Puts the tables of a database, as a backup has them, into a new database. */
  async restore(backup, database, restoredAs, options) {
    return await this.#operations.start('RESTORE', { restore: convert.toRestore(backup, database, restoredAs) }, options);
  }

  /** Jobs that run and those that ended lately, oldest first. */
  async operations() {
    return await this.#operations.list();
  }

  /** How far a job is. */
  async operation(id) {
    return await this.#operations.get(id);
  }

  /** Waits for the end of a job. Throws the error of one that failed. */
  async waitForOperation(id) {
    return await this.#operations.wait(id);
  }

  /** Asks an OPTIMIZE, BACKUP, VERIFY_BACKUPS or RESTORE to stop at its next safe point. */
  async cancelOperation(id) {
    return await this.#operations.cancel(id);
  }

  /** Closes snapshots and connections, each when its call has ended. Later calls fail. */
  close() {
    this.#closing ??= Promise.all([this.#pool.close(), ...[...this.#snapshots].map((each) => each.close())]);
    return this.#closing.then(() => undefined);
  }

  /** For await using. */
  [Symbol.asyncDispose]() {
    return this.close();
  }

  #checkOpen() {
    if (this.#closing !== null) {
      throw new ConnectionFailedError('the client is closed', { code: 'CONNECTION_FAILED', outcome: 'REJECTED' });
    }
  }
}

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

import { Client, KVStoreError } from 'kvstore-client';

/** @typedef {import('kvstore-client').Table} Table */

/** What the scenarios share: the server, a client and a database. */
export class World {
  database = `e2e_node_${randomBytes(4).toString('hex')}`;
  failures = 0;

  /**
   * @param {string} address host and port
   * @param {string} [token] the server's token
   */
  constructor(address, token) {
    this.address = address;
    this.token = token;
    this.client = new Client(this.url(), { pool: 4 });
  }

  /**
   * The URL of the server.
   *
   * @param {string} [token] another token than the server's
   */
  url(token = this.token) {
    return `kvstore://${token ? `${encodeURIComponent(token)}@` : ''}${this.address}`;
  }

  /**
   * Runs a scenario and prints how it ended.
   *
   * @param {string} name
   * @param {() => Promise<void>} scenario
   */
  async run(name, scenario) {
    try {
      await scenario();
      console.log(`ok ${name}`);
    } catch (error) {
      this.failures++;
      const text = error instanceof Error ? error.message.split('\n')[0] : String(error);
      console.log(`not ok ${name}: ${text}`);
      console.error(error);
    }
  }

  /**
   * Creates a table.
   *
   * @param {string} name
   * @param {string} engine
   */
  async create(name, engine) {
    await this.client.createTable(this.database, name, engine, { DURABILITY: 'BUFFERED' });
    return this.client.table(this.database, name);
  }

  /** Removes the database with its tables, and ends. */
  async clean() {
    await this.drop(this.database);
    await this.client.close();
  }

  /**
   * Removes a database with its tables, if it is there.
   *
   * @param {string} database
   */
  async drop(database) {
    const databases = await this.client.databases();
    if (databases.includes(database)) {
      for (const name of await this.client.tables(database)) {
        await this.client.table(database, name).drop();
      }
      await this.client.dropDatabase(database);
    }
  }
}

/**
 * Waits for a call to fail with a class of error; gives the error.
 *
 * @template {KVStoreError} E
 * @param {Promise<unknown>} call
 * @param {new (...args: any[]) => E} type
 * @param {import('kvstore-client').ErrorCode[]} codes the codes that are right
 * @returns {Promise<E>}
 */
export async function fails(call, type, ...codes) {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof type)) {
      throw error;
    }
    assert.ok(codes.includes(error.code), `${error.code} is not one of ${codes.join(', ')}`);
    assert.ok(error.message.length > 0);
    return error;
  }
  throw new assert.AssertionError({ message: `the call did not fail with ${type.name}` });
}

/**
 * All entries of a scan.
 *
 * @template T
 * @param {AsyncIterable<T>} scan
 */
export async function collect(scan) {
  /** @type {T[]} */
  const all = [];
  for await (const entry of scan) {
    all.push(entry);
  }
  return all;
}

/**
 * The key of a numbered entry.
 *
 * @param {number} number
 */
export function numbered(number) {
  return `key${String(number).padStart(5, '0')}`;
}

/**
 * Fills a table with numbered entries.
 *
 * @param {Table} table
 * @param {number} count
 */
export async function fill(table, count) {
  for (let begin = 0; begin < count; begin += 500) {
    const batch = table.batch();
    for (let number = begin; number < Math.min(begin + 500, count); number++) {
      batch.put(numbered(number), `value ${number}`);
    }
    await batch.commit();
  }
}

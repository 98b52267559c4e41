import { Calls } from './calls.js';
import * as convert from './convert.js';
import { KVStoreError, SnapshotExpiredError } from './errors.js';
import { Pool } from './pool.js';
import { TableReader } from './reader.js';

/** A view of the whole store at one moment, on a connection of its own. */
export class Snapshot {
  #pool;
  #calls;
  #snapshotId;
  #leaseMillis;
  #whenClosed;
  #closing = null;

  constructor(pool, calls, lease, whenClosed) {
    this.#pool = pool;
    this.#calls = calls;
    this.#snapshotId = lease.id;
    this.#leaseMillis = lease.millis;
    this.#whenClosed = whenClosed;
  }

  /** Opens a snapshot. It lives this long after its last use; 0: what the server takes. */
  static async open(settings, leaseMillis, whenClosed) {
    const pool = new Pool({ ...settings, pool: 1 });
    try {
      const lease = await new Calls(pool, settings, true).run('openSnapshot', [leaseMillis], (answer) => ({
        id: answer.snapshot_id,
        millis: answer.lease_millis,
      }));
      pool.seal();
      return new Snapshot(pool, new Calls(pool, settings, false), lease, whenClosed);
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  /** The snapshot's number on the server. */
  get id() {
    return convert.fromI64(this.#snapshotId);
  }

  /** How long the snapshot lives after its last use. */
  get leaseMillis() {
    return this.#leaseMillis;
  }

  /** A table as the snapshot sees it. */
  table(database, name) {
    const run = (...call) => this.#run(...call);
    return new TableReader({ run }, database, name, this.#snapshotId);
  }

  /** Closes the snapshot and its connection. Harmless when it is closed or gone. */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** For await using. */
  [Symbol.asyncDispose]() {
    return this.close();
  }

  async #run(...call) {
    if (this.#closing !== null) {
      throw new SnapshotExpiredError('the snapshot is closed', { code: 'SNAPSHOT_EXPIRED', outcome: 'REJECTED' });
    }
    return await this.#calls.run(...call);
  }

  async #close() {
    try {
      await this.#calls.run('closeSnapshot', [this.#snapshotId]);
    } catch (error) {
      if (!(error instanceof KVStoreError)) {
        throw error;
      }
      // It is gone already, or goes with its connection.
    } finally {
      await this.#pool.close();
      this.#whenClosed(this);
    }
  }
}

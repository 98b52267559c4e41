import { Connection } from './connection.js';
import { Broken, ConnectionFailedError, SnapshotExpiredError } from './errors.js';

/** Connections to one server: some that wait for a call, and those that are taken. */
export class Pool {
  #settings;
  #idle = [];
  #places = 0; // taken by connections that are open or being opened
  #waiters = [];
  #closing = null;
  #whenEmpty = null;
  #sealed = false;

  constructor(settings) {
    this.#settings = settings;
  }

  /**
   * Gives a connection that nobody else uses until it comes back by give().
   *
   * @param {Deadline} deadline how long to wait for one
   * @param {boolean} fresh whether it has to be one that did not wait in the pool, since those may be broken
   */
  async take(deadline, fresh = false) {
    this.#checkOpen();
    const idle = this.#takeIdle(fresh);
    if (idle !== undefined) {
      return idle;
    }
    if (this.#places < this.#settings.pool) {
      this.#places++;
    } else {
      const given = await this.#waitForPlace(deadline);
      if (given !== null) {
        return given;
      }
    }
    try {
      this.#checkOpen();
      this.#checkSealed();
      return await Connection.open(this.#settings, deadline);
    } catch (error) {
      this.#freePlace();
      throw error;
    }
  }

  /** Takes a connection back. One that is broken leaves its place to another. */
  give(connection) {
    if (!connection.usable || this.#closing !== null) {
      connection.close();
      this.#freePlace();
      return;
    }
    const waiter = this.#waiters.shift();
    if (waiter === undefined) {
      this.#idle.push(connection);
    } else {
      waiter.resolve(connection);
    }
  }

  /** From now on no connection is opened: what is bound to the one that is there ends with it. */
  seal() {
    this.#sealed = true;
  }

  /** Closes all connections, each when its call has ended. New calls fail. */
  close() {
    this.#closing ??= new Promise((resolve) => {
      this.#whenEmpty = resolve;
    });
    for (const waiter of this.#waiters.splice(0)) {
      waiter.reject(closedError());
    }
    for (const connection of this.#idle.splice(0)) {
      connection.close();
      this.#places--;
    }
    this.#checkEmpty();
    return this.#closing;
  }

  #takeIdle(fresh) {
    while (this.#idle.length > 0) {
      const connection = this.#idle.pop();
      if (connection.usable && !fresh) {
        return connection;
      }
      connection.close();
      this.#places--;
    }
    return undefined;
  }

  #waitForPlace(deadline) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(new Broken('no connection of the pool became free in time', { sent: false, timedOut: true }));
      }, deadline.leftMillis);
      const end = (settle) => (value) => {
        clearTimeout(timer);
        settle(value);
      };
      const waiter = { resolve: end(resolve), reject: end(reject) };
      this.#waiters.push(waiter);
    });
  }

  #freePlace() {
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) {
      waiter.resolve(null); // it has the place now
      return;
    }
    this.#places--;
    this.#checkEmpty();
  }

  #checkEmpty() {
    if (this.#places === 0) {
      this.#whenEmpty?.();
    }
  }

  #checkOpen() {
    if (this.#closing !== null) {
      throw closedError();
    }
  }

  #checkSealed() {
    if (this.#sealed) {
      throw new SnapshotExpiredError('the snapshot ended with its connection', { code: 'SNAPSHOT_EXPIRED' });
    }
  }
}

function closedError() {
  return new ConnectionFailedError('the client is closed', { code: 'CONNECTION_FAILED', outcome: 'REJECTED' });
}

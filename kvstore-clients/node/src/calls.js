import { setTimeout as pause } from 'node:timers/promises';

import { Call } from './call.js';
import { Deadline } from './deadline.js';
import { Broken, TooLargeError } from './errors.js';

const PAUSES_MILLIS = [50, 200];
const IDLE_MILLIS = 1_000;

/** Does calls on the connections of a pool, and repeats what is safe to repeat. */
export class Calls {
  #pool;
  #settings;
  #repeatsBroken;

  /**
   * @param {Pool} pool where connections come from
   * @param {object} settings what the URL and the options say
   * @param {boolean} repeatsBroken whether a read may be repeated on another connection
   */
  constructor(pool, settings, repeatsBroken) {
    this.#pool = pool;
    this.#settings = settings;
    this.#repeatsBroken = repeatsBroken;
  }

  /** Does a call and gives its result, converted. All of it, with repetitions, ends in the time of a call. */
  async run(method, args, convert) {
    const call = new Call(method, args, convert);
    this.#checkSize(call);
    const deadline = new Deadline(this.#settings.timeoutMs);
    let fresh = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(call, deadline, fresh);
      } catch (error) {
        const wait = PAUSES_MILLIS[attempt];
        if (wait === undefined || wait >= deadline.leftMillis || !this.#mayRepeat(call, error)) {
          throw error instanceof Broken ? error.toError(call.isWrite) : error;
        }
        fresh = error instanceof Broken;
        await pause(wait);
      }
    }
  }

  async #attempt(call, deadline, fresh) {
    const connection = call.isWrite ? await this.#takeChecked(deadline, fresh) : await this.#pool.take(deadline, fresh);
    try {
      return await connection.call(call, deadline);
    } finally {
      this.#pool.give(connection);
    }
  }

  /** Gives a connection that was used lately or answers a ping. */
  async #takeChecked(deadline, fresh) {
    for (;;) {
      const connection = await this.#pool.take(deadline, fresh);
      if (connection.idleMillis <= IDLE_MILLIS) {
        return connection;
      }
      try {
        await connection.call(new Call('ping', []), deadline.within(this.#settings.connectTimeoutMs));
        return connection;
      } catch (error) {
        this.#pool.give(connection);
        if (!(error instanceof Broken)) {
          throw error;
        }
      }
    }
  }

  #mayRepeat(call, error) {
    if (!(error instanceof Broken)) {
      return error.retryable === true && (!call.isWrite || error.outcome === 'REJECTED');
    }
    return this.#repeatsBroken && !error.timedOut && !(call.isWrite && error.sent);
  }

  #checkSize(call) {
    const limit = this.#settings.maxFrameBytes;
    if (call.frameBytes > limit) {
      const message = `the request has ${call.frameBytes} bytes, more than the ${limit} of max_frame_bytes`;
      const details = { limit: String(limit), actual: String(call.frameBytes) };
      throw new TooLargeError(message, { code: 'TOO_LARGE', outcome: 'REJECTED', details });
    }
  }
}

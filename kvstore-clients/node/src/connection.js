import net from 'node:net';
import tls from 'node:tls';

import { Call } from './call.js';
import { Broken, fromAnswer } from './errors.js';
import { thrift, types } from './generated.js';

/**
 * One connection, for one call at a time. The first failure ends it: it is closed and never used again.
 *
 * The runtime's own connection is not used: it has no time limit for a call, leaves calls without an end when the server closes
 * the connection or an answer is cut short, reads frames of any size and keeps what is written before it is connected.
 */
export class Connection {
  #socket;
  #waiting = null;
  #broken = false;

  /** When this connection was last used, on the clock of performance.now(). */
  usedMillis = performance.now();

  constructor(settings) {
    this.#socket = openSocket(settings);
    this.#socket.setNoDelay(true);
    this.#socket.setKeepAlive(true, 30_000);
    const receive = thrift.TFramedTransport.receiver((frame) => this.#answer(frame), undefined, settings.maxFrameBytes);
    this.#socket.on('data', (chunk) => {
      try {
        receive(chunk);
      } catch (error) {
        this.#fail(`the answer cannot be read: ${error.message}`, { cause: error });
      }
    });
    this.#socket.on('error', (error) => this.#fail(reason(error), { cause: error }));
    this.#socket.on('end', () => this.#fail('the server closed the connection'));
    this.#socket.on('close', () => this.#fail('the connection was closed'));
  }

  /** Connects and, with a token, authenticates. */
  static async open(settings, deadline) {
    let connection;
    try {
      connection = new Connection(settings);
      await connection.#connected(settings, deadline.within(settings.connectTimeoutMs));
      if (settings.token !== undefined) {
        await connection.call(new Call('authenticate', [settings.token]), deadline);
      }
      return connection;
    } catch (error) {
      connection?.close();
      if (error instanceof Broken || connection === undefined) {
        const message = `no connection to ${settings.host}:${settings.port}: ${error.message}`;
        throw new Broken(message, { sent: false, timedOut: error.timedOut, cause: error.cause ?? error });
      }
      throw error;
    }
  }

  /** Whether a call can be tried on this connection. */
  get usable() {
    return !this.#broken;
  }

  /** How long this connection has not been used. */
  get idleMillis() {
    return performance.now() - this.usedMillis;
  }

  /** Does one call. Throws Broken if it was not answered in time, and a KVStoreError if the answer is an error. */
  async call(call, deadline) {
    if (this.#broken) {
      throw new Broken('the connection was closed', { sent: false });
    }
    if (this.#waiting !== null) {
      throw new Error('a connection does one call at a time');
    }
    const left = deadline.leftMillis;
    if (left === 0) {
      throw new Broken('the time was over before the call was sent', { sent: false, timedOut: true });
    }
    let answer;
    try {
      answer = await this.#wait(left, call, () => this.#socket.write(call.frame));
    } finally {
      this.usedMillis = performance.now();
    }
    if (answer.failure === undefined) {
      return answer.result;
    }
    if (!isDeclared(answer.failure) || isLast(answer.failure)) {
      this.close();
    }
    throw fromAnswer(answer.failure, call.isWrite);
  }

  /** Closes the connection. A call that waits for its answer fails. */
  close() {
    this.#fail('the connection was closed');
  }

  #connected(settings, deadline) {
    return this.#wait(deadline.leftMillis, null, () => {
      this.#socket.once(settings.secure ? 'secureConnect' : 'connect', () => this.#settle()?.resolve());
    });
  }

  #wait(millis, call, begin) {
    return new Promise((resolve, reject) => {
      const message = call === null ? 'it took too long' : `no answer to ${call.method} in ${Math.round(millis)} ms`;
      const timer = setTimeout(() => this.#fail(message, { timedOut: true }), millis);
      this.#waiting = { resolve, reject, timer, call };
      begin();
    });
  }

  #settle() {
    const waiting = this.#waiting;
    this.#waiting = null;
    clearTimeout(waiting?.timer);
    return waiting;
  }

  #answer(frame) {
    if (this.#broken) {
      return;
    }
    const call = this.#waiting?.call ?? null;
    if (call === null) {
      throw new Error('the server sent something that nobody asked for');
    }
    const answer = call.decode(frame);
    this.#settle().resolve(answer);
  }

  #fail(message, fields = {}) {
    if (this.#broken) {
      return;
    }
    this.#broken = true;
    this.#socket.destroy();
    const waiting = this.#settle();
    waiting?.reject(new Broken(message, { sent: waiting.call !== null, ...fields }));
  }
}

function openSocket(settings) {
  const { host, port } = settings;
  if (!settings.secure) {
    return net.connect({ host, port });
  }
  // An address is checked against the certificate too, but TLS does not allow to send it as a name.
  return tls.connect({ servername: net.isIP(host) ? '' : host, ...settings.tls, host, port });
}

/** Whether an exception is one of the API's: after any other the connection is not used again. */
function isDeclared(failure) {
  return failure instanceof types.ServiceError || failure instanceof types.ConditionFailed;
}

/** Whether the server ends the connection behind its answer, because it is stopping. */
function isLast(failure) {
  return failure instanceof types.ServiceError && failure.code === types.ErrorCode.STOPPING;
}

function reason(error) {
  if (error instanceof AggregateError) {
    return error.errors.map((each) => each.message).join(', ');
  }
  return error.message;
}

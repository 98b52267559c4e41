import { setTimeout as pause } from 'node:timers/promises';

import * as convert from './convert.js';
import { invalid, KVStoreError } from './errors.js';
import { types } from './generated.js';

const FIRST_PAUSE_MILLIS = 10;
const LONGEST_PAUSE_MILLIS = 500;

/** Starts jobs on the server and waits for their end. */
export class OperationRunner {
  #calls;

  constructor(calls) {
    this.#calls = calls;
  }

  /**
   * Starts a job; waits for its end unless the options say wait: false.
   *
   * @param {string} kind the kind's name in the API
   * @param {{table?: object, restore?: object}} [subject] what the job is of
   * @param {{wait?: boolean}} [options]
   */
  async start(kind, subject = {}, options = {}) {
    const { wait = true } = convert.checkOptions(options, ['wait']);
    const request = new types.OperationRequest({ kind: types.OperationKind[kind], ...subject });
    const operation = await this.#calls.run('startOperation', [request], convert.fromOperation);
    return wait ? await this.#waitFor(operation) : operation;
  }

  /** Waits for the end of a job. Throws the error of one that failed. */
  async wait(id) {
    return await this.#waitFor(await this.get(id));
  }

  /** How far a job is. */
  async get(id) {
    return await this.#calls.run('operation', [operationId(id)], convert.fromOperation);
  }

  /** Jobs that run and those that ended lately, oldest first. */
  async list() {
    return await this.#calls.run('operations', [], (all) => all.map(convert.fromOperation));
  }

  /** Asks a job to stop. */
  async cancel(id) {
    return await this.#calls.run('cancelOperation', [operationId(id)], convert.fromOperation);
  }

  async #waitFor(started) {
    let operation = started;
    for (let millis = FIRST_PAUSE_MILLIS; operation.state === 'RUNNING'; millis *= 2) {
      await pause(Math.min(millis, LONGEST_PAUSE_MILLIS));
      operation = await this.get(operation.id);
    }
    if (operation.state === 'FAILED') {
      throw operation.error ?? new KVStoreError(`the ${operation.kind} failed`, { outcome: 'FAILED' });
    }
    return operation;
  }
}

function operationId(operation) {
  const id = typeof operation === 'object' && operation !== null ? operation.id : operation;
  if (id === undefined) {
    throw invalid('an operation is told by its id');
  }
  return convert.toI64(id, 'the id of an operation');
}

import { createRequire } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';

import { thrift, types } from '../../src/generated.js';

const { Processor } = createRequire(import.meta.url)('../../gen/KVStoreService.js');
const { TBinaryProtocol, TFramedTransport } = thrift;

/** A server with one table in memory, for as long as nothing else is planned for a call. */
export class Stub {
  /** What is done with the next calls of a method: each a function (socket, answer), where answer() does the call. */
  plans = new Map();
  /** The methods that were called, in their order, with the number of their connection. */
  calls = [];
  connections = 0;
  sockets = new Set();
  entries = new Map();
  handler = new Handler(this);

  /** Starts a stub; with a certificate, for TLS. */
  static async start(certificate) {
    const stub = new Stub();
    const serve = (socket) => stub.#serve(socket);
    stub.server = certificate ? tls.createServer(certificate, serve) : net.createServer(serve);
    await new Promise((resolve) => stub.server.listen(0, '127.0.0.1', resolve));
    stub.port = stub.server.address().port;
    stub.url = `kvstore${certificate ? 's' : ''}://127.0.0.1:${stub.port}`;
    return stub;
  }

  /** Plans what the next calls of a method do. */
  plan(method, ...steps) {
    this.plans.set(method, steps);
  }

  /** How often a method was called. */
  count(method) {
    return this.calls.filter((call) => call.method === method).length;
  }

  async stop() {
    this.disconnect();
    await new Promise((resolve) => this.server.close(resolve));
  }

  disconnect() {
    for (const socket of this.sockets) {
      socket.destroy();
    }
  }

  #serve(socket) {
    const connection = ++this.connections;
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on(
      'data',
      TFramedTransport.receiver((frame) => this.#receive(socket, connection, frame)),
    );
  }

  #receive(socket, connection, frame) {
    const method = new TBinaryProtocol(new TFramedTransport(frame.inBuf), true, true).readMessageBegin().fname;
    this.calls.push({ method, connection });
    const answer = () => {
      const output = new TFramedTransport(undefined, (bytes) => socket.write(bytes));
      new Processor(withCallbacks(this.handler)).process(new TBinaryProtocol(frame), new TBinaryProtocol(output));
    };
    const step = this.plans.get(method)?.shift();
    if (step === undefined) {
      answer();
    } else {
      step(socket, answer, frame);
    }
  }
}

/** The generated processor tells by the number of parameters whether a method wants a callback: here all do. */
function withCallbacks(handler) {
  return new Proxy(handler, {
    get: (target, method) => {
      const run = async (...args) => {
        const callback = args.pop();
        try {
          callback(null, await target[method](...args));
        } catch (error) {
          callback(error);
        }
      };
      return Object.defineProperty(run, 'length', { value: 99 });
    },
  });
}

class Handler {
  constructor(stub) {
    this.stub = stub;
  }

  ping() {}

  authenticate(token) {
    if (token !== 'the token') {
      throw serviceError('UNAUTHENTICATED');
    }
  }

  databases() {
    return ['one', 'two'];
  }

  get(table, key, options) {
    const value = this.stub.entries.get(key.toString('hex')) ?? null;
    const tag = options?.with_tag && value ? thrift.fromBigInt(this.stub.tag) : null;
    return new types.GetResult({ value, tag });
  }

  put(table, key, value) {
    this.stub.entries.set(key.toString('hex'), value);
  }

  putIf(table, key, value, condition) {
    this.stub.condition = condition;
    return true;
  }

  openSnapshot() {
    return new types.SnapshotLease({
      snapshot_id: thrift.fromBigInt(this.stub.snapshotId ?? 7n),
      lease_millis: 60_000,
    });
  }

  closeSnapshot(id) {
    this.stub.closedSnapshot = thrift.toBigInt(id);
  }

  scan(request) {
    this.stub.scans = [...(this.stub.scans ?? []), request];
    return this.stub.page;
  }

  renameTable({ database }, table) {
    return new types.TableInfo({ database, table, table_id: 1, engine: 'lsm', options: {} });
  }

  alterTable({ database, table }, options) {
    return new types.TableInfo({ database, table, table_id: 1, engine: 'lsm', options });
  }

  backups() {
    return this.stub.backups;
  }

  deleteBackup(id) {
    this.stub.deletedBackup = thrift.toBigInt(id);
  }

  startOperation(request) {
    this.stub.operationRequest = request;
    return operation('RUNNING', request);
  }

  operation() {
    const state = this.stub.states.shift();
    return operation(state, new types.OperationRequest({ kind: types.OperationKind.VERIFY }));
  }
}

function operation(state, { kind, table, restore }) {
  return new types.Operation({
    operation_id: thrift.fromBigInt(2n ** 60n + 1n),
    kind,
    table,
    restore,
    state: types.OperationState[state],
    seconds: 0.5,
    error: state === 'FAILED' ? serviceError('CORRUPTION') : null,
  });
}

/** An error that the server answers. */
export function serviceError(code, fields = {}) {
  return new types.ServiceError({ code: types.ErrorCode[code], message: `stub: ${code}`, ...fields });
}

/** A step that closes the connection instead of an answer. */
export const hangUp = (socket) => socket.destroy();

/** A step that never answers. */
export const silence = () => {};

/** A step that answers with an error. */
export const failing = (stub, method, error) => (socket, answer) => {
  stub.handler[method] = () => {
    delete stub.handler[method];
    throw error;
  };
  answer();
};

/** A step that sends bytes. */
export const sending = (bytes) => (socket) => socket.write(bytes);

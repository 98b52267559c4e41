import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';

import {
  Client,
  connect,
  ConnectionFailedError,
  KVStoreError,
  OutcomeUnknownError,
  TooLargeError,
  UnauthenticatedError,
  UnavailableError,
} from 'kvstore-client';

import { types } from '../../src/generated.js';
import { failing, hangUp, sending, serviceError, silence, Stub } from './stub.mjs';

let stub;
let client;
let table;

beforeEach(async () => {
  stub = await Stub.start();
  client = new Client(`${stub.url}?timeout_ms=5000&pool=3`);
  table = client.table('db', 't');
});

afterEach(async () => {
  mock.restoreAll();
  await client.close();
  await stub.stop();
});

/** Lets the clock of the client go on. */
function skip(millis) {
  const now = performance.now.bind(performance);
  mock.method(performance, 'now', () => now() + millis);
}

test('a read is tried again on a new connection, twice at most', async () => {
  stub.plan('get', hangUp, hangUp);
  assert.equal(await table.get('a'), undefined);
  assert.deepEqual(
    stub.calls.map((call) => call.connection),
    [1, 2, 3],
  );
  stub.plan('get', hangUp, hangUp, hangUp, hangUp);
  await assert.rejects(table.get('a'), (error) => {
    assert.ok(error instanceof ConnectionFailedError);
    assert.equal(error.code, 'CONNECTION_FAILED');
    assert.equal(error.outcome, 'FAILED');
    return true;
  });
  assert.equal(stub.count('get'), 6);
});

test('a read is not tried again on a connection that waited in the pool', async () => {
  await Promise.all([table.get('a'), table.get('b'), table.get('c')]);
  stub.calls.length = 0;
  stub.plan('get', hangUp);
  await table.get('a');
  assert.equal(stub.calls[1].connection, 4);
});

test('a write that was sent is not tried again', async () => {
  stub.plan('put', hangUp);
  await assert.rejects(table.put('a', 'b'), (error) => {
    assert.ok(error instanceof OutcomeUnknownError);
    assert.equal(error.code, 'OUTCOME_UNKNOWN');
    assert.equal(error.outcome, 'UNKNOWN');
    assert.equal(error.retryable, false);
    return true;
  });
  assert.equal(stub.count('put'), 1);
  await table.put('a', 'b');
});

test('all changes count as writes', async () => {
  for (const [method, change] of Object.entries({
    createDatabase: () => client.createDatabase('x'),
    dropDatabase: () => client.dropDatabase('x'),
    createTable: () => client.createTable('x', 'y', 'lsm'),
    dropTable: () => table.drop(),
    truncateTable: () => table.truncate(),
    remove: () => table.remove('a'),
    putIf: () => table.putIfAbsent('a', 'b'),
    removeIf: () => table.removeExpecting('a', 'b'),
    add: () => table.add('a', 1),
    append: () => table.append('a', 'b'),
    patch: () => table.patch('a', 0, 'b'),
    getAndPut: () => table.getAndPut('a', 'b'),
    getAndRemove: () => table.getAndRemove('a'),
    write: () => table.batch().put('a', 'b').commit(),
    startOperation: () => client.checkpoint(),
    cancelOperation: () => client.cancelOperation(1n),
    renameTable: () => table.rename('new'),
    alterTable: () => table.alter({ DURABILITY: 'SYNC' }),
    deleteBackup: () => client.deleteBackup(1n),
  })) {
    stub.plan(method, hangUp);
    await assert.rejects(change(), OutcomeUnknownError, method);
    assert.equal(stub.count(method), 1, method);
  }
});

test('a batch of merges that was sent is not tried again', async () => {
  stub.plan('writeMerges', hangUp);
  await assert.rejects(table.batch().add('a', 1).append('b', 'c').commit(), OutcomeUnknownError);
  assert.equal(stub.count('writeMerges'), 1);
  assert.equal(stub.count('write'), 0, 'a server without merges must not know the call');
});

test('a write that the server rejected and calls retryable is tried again', async () => {
  const rejected = serviceError('OVERLOADED', { retryable: true, outcome: types.Outcome.REJECTED });
  stub.plan('put', failing(stub, 'put', rejected), failing(stub, 'put', rejected));
  await table.put('a', 'b');
  assert.equal(stub.count('put'), 3);
  assert.equal(stub.connections, 1);
});

test('the connection of a server that is stopping is not used again', async () => {
  const stopping = serviceError('STOPPING', { retryable: true, outcome: types.Outcome.REJECTED });
  stub.plan('put', failing(stub, 'put', stopping));
  await table.put('a', 'b');
  assert.deepEqual(
    stub.calls.map((call) => call.connection),
    [1, 2],
  );
});

test('no other failure of a write is repeated', async () => {
  for (const fields of [
    { retryable: true, outcome: types.Outcome.FAILED },
    { retryable: true, outcome: types.Outcome.UNKNOWN },
    { retryable: true },
    { retryable: false, outcome: types.Outcome.REJECTED },
  ]) {
    stub.calls.length = 0;
    stub.plan('put', failing(stub, 'put', serviceError('OVERLOADED', fields)));
    await assert.rejects(table.put('a', 'b'), UnavailableError);
    assert.equal(stub.count('put'), 1);
  }
});

test('a write is tried again if nothing of it was sent', async () => {
  const { port } = stub;
  await stub.stop();
  const writing = table.put('a', 'b');
  stub.server.listen(port, '127.0.0.1');
  await writing;
  assert.equal(stub.count('put'), 1);
});

test('a port where nobody listens', async () => {
  await stub.stop();
  await assert.rejects(connect(stub.url), (error) => {
    assert.ok(error instanceof ConnectionFailedError);
    assert.equal(error.outcome, 'REJECTED');
    assert.match(error.message, /ECONNREFUSED/);
    return true;
  });
  await assert.rejects(table.put('a', 'b'), ConnectionFailedError);
  await stub.server.listen(stub.port, '127.0.0.1');
});

test('an idle connection is checked before a write, and replaced if it is broken', async () => {
  await table.put('a', 'b');
  await table.put('a', 'b');
  assert.equal(stub.count('ping'), 0);
  skip(1_500);
  await table.get('a');
  assert.equal(stub.count('ping'), 0);
  skip(1_500);
  await table.put('a', 'b');
  assert.equal(stub.count('ping'), 1);
  skip(1_500);
  stub.plan('ping', hangUp);
  await table.put('a', 'c');
  assert.equal(stub.count('ping'), 2);
  assert.equal(stub.connections, 2);
  assert.equal((await table.get('a')).toString(), 'c');
});

test('connections that the server closed while they were idle are not used', async () => {
  await Promise.all([table.get('a'), table.get('b'), table.get('c')]);
  assert.equal(stub.connections, 3);
  stub.disconnect();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await table.put('a', 'b');
  assert.equal(stub.count('put'), 1);
  assert.equal(stub.connections, 4);
});

test('a call that takes too long ends, and so does its connection', async () => {
  const hasty = new Client(stub.url, { timeoutMs: 400, pool: 1 });
  const slow = hasty.table('db', 't');
  stub.plan('get', silence);
  stub.plan('put', silence);
  await assert.rejects(slow.get('a'), ConnectionFailedError);
  await assert.rejects(slow.put('a', 'b'), OutcomeUnknownError);
  assert.deepEqual(
    stub.calls.map(({ method, connection }) => `${method} ${connection}`),
    ['get 1', 'put 2'],
  );
  assert.equal(await slow.get('a'), undefined);
  await hasty.close();
});

test('an answer that comes too late is not taken for another one', async () => {
  const hasty = new Client(stub.url, { timeoutMs: 400, pool: 1 });
  const slow = hasty.table('db', 't');
  stub.entries.set('61', Buffer.from('old'));
  stub.plan('get', (socket, answer) => setTimeout(answer, 500));
  await assert.rejects(slow.get('a'), ConnectionFailedError);
  await new Promise((resolve) => setTimeout(resolve, 150));
  assert.equal(await slow.get('b'), undefined);
  await hasty.close();
});

const BAD_ANSWERS = {
  'a frame over the limit': Buffer.from([0x7f, 0xff, 0xff, 0xff, 0x80]),
  'a frame of negative size': Buffer.from([0xff, 0xff, 0xff, 0xff, 0x80]),
  'an empty frame': Buffer.from([0, 0, 0, 0]),
  'a page of HTML': Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'a frame without a version': Buffer.from([0, 0, 0, 4, 0, 0, 0, 0]),
  'an answer to another call': answerTo('put', 1),
  'an answer with another number': answerTo('get', 0x7ffffff0),
};

function answerTo(method, seqid) {
  const frame = Buffer.alloc(4 + 4 + 4 + method.length + 4 + 1);
  frame.writeInt32BE(frame.length - 4, 0);
  frame.writeUInt32BE(0x80010002, 4);
  frame.writeInt32BE(method.length, 8);
  frame.write(method, 12);
  frame.writeInt32BE(seqid, 12 + method.length);
  return frame;
}

for (const [name, bytes] of Object.entries(BAD_ANSWERS)) {
  test(`${name} ends the connection`, async () => {
    stub.plan('get', sending(bytes), sending(bytes), sending(bytes));
    await assert.rejects(table.get('a'), ConnectionFailedError);
    assert.deepEqual(
      stub.calls.map((call) => call.connection),
      [1, 2, 3],
    );
    stub.plan('put', sending(bytes));
    await assert.rejects(table.put('a', 'b'), OutcomeUnknownError);
    assert.equal(stub.count('put'), 1);
  });
}

test('an answer that is cut short inside its frame ends the connection', async () => {
  const cut = (socket, answer) => {
    const write = socket.write.bind(socket);
    socket.write = (bytes) => {
      bytes.writeInt32BE(bytes.length - 4 - 3, 0);
      return write(bytes.subarray(0, -3));
    };
    answer();
  };
  stub.plan('put', cut);
  await assert.rejects(table.put('a', 'b'), OutcomeUnknownError);
});

test('an answer in single bytes', async () => {
  stub.entries.set('61', Buffer.from('value'));
  stub.plan('get', (socket, answer) => {
    const write = socket.write.bind(socket);
    socket.write = (bytes) => [...bytes].forEach((byte) => write(Buffer.from([byte])));
    answer();
  });
  assert.equal((await table.get('a')).toString(), 'value');
});

test("an exception of Thrift's is a base error and ends the connection", async () => {
  await assert.rejects(table.stats(), (error) => {
    assert.equal(error.constructor, KVStoreError);
    return true;
  });
  await table.get('a');
  assert.deepEqual(
    stub.calls.map((call) => call.connection),
    [1, 2],
  );
});

test('a request over the limit is not sent and breaks nothing', async () => {
  const small = new Client(stub.url, { maxFrameBytes: 1_000 });
  const narrow = small.table('db', 't');
  await assert.rejects(narrow.put('a', Buffer.alloc(1_000)), TooLargeError);
  assert.equal(stub.connections, 0);
  await narrow.put('a', Buffer.alloc(900));
  stub.entries.set('62', Buffer.alloc(1_001));
  await assert.rejects(narrow.get('b'), ConnectionFailedError);
  await small.close();
});

test('each connection authenticates first', async () => {
  const known = new Client(stub.url, { token: 'the token' });
  await Promise.all([known.databases(), known.databases()]);
  const methods = (connection) =>
    stub.calls.filter((call) => call.connection === connection).map((call) => call.method);
  assert.deepEqual(methods(1), ['authenticate', 'databases']);
  assert.deepEqual(methods(2), ['authenticate', 'databases']);
  await known.close();
});

test('a wrong token is not tried again and not told', async () => {
  await assert.rejects(connect(stub.url.replace('//', '//wrong-token@')), (error) => {
    assert.ok(error instanceof UnauthenticatedError);
    assert.doesNotMatch(error.stack, /wrong-token/);
    return true;
  });
  assert.equal(stub.count('authenticate'), 1);
});

test('a connection that breaks while it authenticates: nothing of the write was sent', async () => {
  const known = new Client(stub.url, { token: 'the token' });
  stub.plan('authenticate', hangUp);
  await known.table('db', 't').put('a', 'b');
  assert.equal(stub.count('put'), 1);
  await known.close();
});

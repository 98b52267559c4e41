import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';

import { Client, ConnectionFailedError, SnapshotExpiredError } from 'kvstore-client';

import { Deadline } from '../../src/deadline.js';
import { Broken } from '../../src/errors.js';
import { Pool } from '../../src/pool.js';
import { readSettings } from '../../src/settings.js';
import { hangUp, Stub } from './stub.mjs';

const later = (millis) => (socket, answer) => setTimeout(answer, millis);

let stub;
let client;

beforeEach(async () => {
  stub = await Stub.start();
});

afterEach(async () => {
  await client.close();
  await stub.stop();
});

test('there are no more connections than the pool has', async () => {
  client = new Client(stub.url, { pool: 3 });
  await Promise.all(Array.from({ length: 50 }, () => client.databases()));
  assert.equal(stub.connections, 3);
  assert.equal(stub.count('databases'), 50);
});

test('a call waits for a connection no longer than a call may take', async () => {
  client = new Client(stub.url);
  const pool = new Pool(readSettings(stub.url, { pool: 1 }));
  const taken = await pool.take(new Deadline(5_000));
  await assert.rejects(pool.take(new Deadline(50)), (error) => {
    assert.ok(error instanceof Broken);
    assert.equal(error.sent, false);
    assert.ok(error.toError(true) instanceof ConnectionFailedError);
    return true;
  });
  const waiting = pool.take(new Deadline(5_000));
  pool.give(taken);
  assert.equal(await waiting, taken);
  pool.give(taken);
  assert.equal(stub.connections, 1);
  await pool.close();
});

test('a broken connection leaves its place to a call that waits', async () => {
  client = new Client(stub.url, { pool: 1, timeoutMs: 5_000 });
  const table = client.table('db', 't');
  stub.plan('put', hangUp);
  const results = await Promise.allSettled([table.put('a', 'b'), table.put('a', 'c'), table.put('a', 'd')]);
  assert.deepEqual(
    results.map((result) => result.status),
    ['rejected', 'fulfilled', 'fulfilled'],
  );
  assert.equal(stub.connections, 2);
});

test('a failed attempt to connect leaves its place to a call that waits', async () => {
  client = new Client(stub.url, { pool: 1 });
  await stub.stop();
  const results = await Promise.allSettled([client.databases(), client.databases(), client.databases()]);
  assert.ok(results.every((result) => result.reason instanceof ConnectionFailedError));
  stub.server.listen(stub.port, '127.0.0.1');
  assert.deepEqual(await client.databases(), ['one', 'two']);
});

test('connecting takes no longer than its timeout', async () => {
  client = new Client(stub.url.replace('kvstore:', 'kvstores:'), { connectTimeoutMs: 100, timeoutMs: 5_000 });
  const begin = performance.now();
  await assert.rejects(client.databases(), ConnectionFailedError);
  assert.ok(performance.now() - begin < 1_000);
  assert.equal(stub.connections, 1);
});

test('close waits for calls that run and refuses later ones', async () => {
  client = new Client(stub.url, { pool: 1 });
  stub.plan('databases', later(100));
  const running = client.databases();
  const waiting = assert.rejects(client.databases(), /closed/);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await client.close();
  assert.deepEqual(await running, ['one', 'two']);
  await waiting;
  await assert.rejects(client.databases(), ConnectionFailedError);
  await assert.rejects(client.snapshot(), ConnectionFailedError);
  await client.close();
  assert.equal(stub.count('databases'), 1);
});

test('a snapshot has a connection of its own and all 64 bits of its id', async () => {
  client = new Client(stub.url, { pool: 1 });
  await client.databases();
  stub.snapshotId = -(2n ** 63n) + 1n;
  const snapshot = await client.snapshot({ leaseMillis: 5_000 });
  assert.equal(snapshot.id, stub.snapshotId);
  const table = snapshot.table('db', 't');
  await Promise.all([table.get('a'), table.get('b'), client.databases()]);
  assert.deepEqual(stub.calls.map(({ method, connection }) => `${method} ${connection}`).sort(), [
    'databases 1',
    'databases 1',
    'get 2',
    'get 2',
    'openSnapshot 2',
  ]);
  await snapshot.close();
  await snapshot.close();
  assert.equal(stub.count('closeSnapshot'), 1);
  assert.equal(stub.closedSnapshot, stub.snapshotId);
  await assert.rejects(table.get('a'), SnapshotExpiredError);
});

test('a read of a snapshot is not tried on another connection', async () => {
  client = new Client(stub.url);
  const snapshot = await client.snapshot();
  const table = snapshot.table('db', 't');
  stub.plan('get', hangUp);
  const results = await Promise.allSettled([table.get('a'), table.get('b')]);
  assert.ok(results[0].reason instanceof ConnectionFailedError);
  assert.ok(results[1].reason instanceof SnapshotExpiredError);
  await assert.rejects(table.count(), SnapshotExpiredError);
  assert.equal(stub.connections, 1);
  await snapshot.close();
});

test('closing the client closes its snapshots', async () => {
  client = new Client(stub.url);
  const snapshot = await client.snapshot();
  const disposed = await client.snapshot();
  await disposed[Symbol.asyncDispose]();
  await client[Symbol.asyncDispose]();
  assert.equal(stub.count('closeSnapshot'), 2);
  await assert.rejects(snapshot.table('db', 't').get('a'), SnapshotExpiredError);
});

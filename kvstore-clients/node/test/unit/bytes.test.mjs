import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';

import { Client, Condition, CorruptionError, InvalidRequestError } from 'kvstore-client';

import { thrift, types } from '../../src/generated.js';
import { hangUp, Stub } from './stub.mjs';

let stub;
let client;
let table;

beforeEach(async () => {
  stub = await Stub.start();
  client = new Client(stub.url);
  table = client.table('db', 't');
});

afterEach(async () => {
  await client.close();
  await stub.stop();
});

test('keys and values of all kinds', async () => {
  await table.put('k\u00e9', new Uint8Array([0, 255]).subarray(1));
  assert.deepEqual([...stub.entries], [['6bc3a9', Buffer.from([255])]]);
  await table.put(Buffer.alloc(0), '');
  assert.deepEqual(await table.get(''), Buffer.alloc(0));
  for (const wrong of [undefined, null, 1, ['a'], { a: 1 }, 'half \ud800']) {
    await assert.rejects(table.get(wrong), InvalidRequestError);
    await assert.rejects(table.put('a', wrong), InvalidRequestError);
  }
});

test('one key is no list of keys', async () => {
  await assert.rejects(table.getAll('key'), InvalidRequestError);
  await assert.rejects(table.getAll(Buffer.from('key')), InvalidRequestError);
  assert.equal(stub.calls.length, 0);
});

test('a table is ordered unless the server says no', async () => {
  for (const told of [null, true, false]) {
    stub.handler.describeTable = () =>
      new types.TableInfo({ database: 'db', table: 't', table_id: 1, engine: 'lsm', options: {}, ordered: told });
    assert.equal((await table.describe()).ordered, told !== false);
  }
});

test('a buffer may be changed after the call was made', async () => {
  const bytes = Buffer.from('before');
  const writing = table.put('a', bytes);
  const batch = table.batch().put(bytes, bytes);
  bytes.fill(0);
  await writing;
  assert.equal((await table.get('a')).toString(), 'before');
  let sent;
  stub.handler.write = (request) => {
    sent = request;
    return thrift.fromBigInt(2n ** 62n + 1n);
  };
  assert.equal(await batch.commit(), 2n ** 62n + 1n);
  assert.equal(sent.mutations[0].key.toString(), 'before');
  assert.equal(sent.mutations[0].value.toString(), 'before');
  assert.equal(sent.checks, null);
});

test('deltas and sums have 64 bits', async () => {
  const sent = [];
  stub.handler.add = (name, key, delta) => {
    sent.push(thrift.toBigInt(delta));
    return delta;
  };
  for (const delta of [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 7, -(2 ** 53) + 1]) {
    assert.equal(await table.add('a', delta), BigInt(delta));
    assert.equal(sent.pop(), BigInt(delta));
  }
  for (const wrong of [2n ** 63n, 2 ** 53, 1.5, NaN, '1', undefined, null]) {
    await assert.rejects(table.add('a', wrong), InvalidRequestError);
    assert.throws(() => table.batch().add('a', wrong), InvalidRequestError);
  }
  for (const wrong of [2 ** 31, 0.5, '0', undefined, null, 1n]) {
    await assert.rejects(table.patch('a', wrong, 'b'), InvalidRequestError);
    assert.throws(() => table.batch().patch('a', wrong, 'b'), InvalidRequestError);
  }
});

test('tags have 64 bits in both directions', async () => {
  await table.put('a', 'b');
  for (const tag of [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n]) {
    stub.tag = tag;
    assert.equal((await table.getWithTag('a')).tag, tag);
    await table.putIf('a', 'b', Condition.tagIs(tag));
    assert.equal(thrift.toBigInt(stub.condition.tag), tag);
  }
  for (const wrong of [1, 2n ** 63n, undefined]) {
    await assert.rejects(table.putIf('a', 'b', Condition.tagIs(wrong)), InvalidRequestError);
  }
  await assert.rejects(table.putIf('a', 'b', { kind: 'NONE' }), InvalidRequestError);
  await assert.rejects(table.putIf('a', 'b', undefined), InvalidRequestError);
});

test('a kept key does not keep the page', async () => {
  const large = new types.Entry({ key: Buffer.from('a'), value: Buffer.alloc(100_000) });
  stub.page = new types.ScanPage({ entries: [large] });
  const [entry] = (await table.scanPage()).entries;
  assert.notEqual(entry.key.buffer, entry.value.buffer);
  assert.equal(entry.value.length, 100_000);
});

test('a scan follows continuations until its limit', async () => {
  const entries = ['a', 'b', 'c'].map((key) => new types.Entry({ key: Buffer.from(key) }));
  stub.page = new types.ScanPage({ entries, continuation: Buffer.from('next') });
  const keys = [];
  for await (const { key } of table.scan({ limit: 7, pageSize: 3, prefix: 'p' })) {
    keys.push(key.toString());
  }
  assert.equal(keys.join(''), 'abcabca');
  assert.deepEqual(
    stub.scans.map((scan) => scan.max_entries),
    [3, 3, 1],
  );
  assert.deepEqual(
    stub.scans.map((scan) => scan.continuation?.toString()),
    [undefined, 'next', 'next'],
  );
  assert.ok(stub.scans.every((scan) => scan.range.prefix.toString() === 'p'));
});

test('options that are wrong', async () => {
  await assert.rejects(table.scan({ prefx: 'a' }).next(), InvalidRequestError);
  await assert.rejects(table.scan({ limit: -1 }).next(), InvalidRequestError);
  await assert.rejects(table.scanPage({ pageSize: 2 ** 31 }), InvalidRequestError);
  await assert.rejects(table.count({ limit: 3 }), InvalidRequestError);
  await assert.rejects(table.put('a', 'b', { durability: 'NEVER' }), InvalidRequestError);
  await assert.rejects(client.snapshot({ leaseMillis: 1.5 }), InvalidRequestError);
  await assert.rejects(client.operation(1), InvalidRequestError);
  assert.throws(() => client.table('db'), InvalidRequestError);
  assert.throws(() => table.batch().put('a', 'b', client.table('other', 't')), InvalidRequestError);
  assert.equal(stub.connections, 0);
});

test('an operation is waited for, and one that failed throws', async () => {
  stub.states = ['RUNNING', 'RUNNING', 'DONE'];
  const done = await table.verify();
  assert.equal(done.state, 'DONE');
  assert.equal(done.id, 2n ** 60n + 1n);
  assert.equal(stub.operationRequest.table.table, 't');
  stub.states = ['RUNNING', 'FAILED'];
  await assert.rejects(table.verify(), CorruptionError);
  stub.states = ['CANCELLED'];
  assert.equal((await table.optimize()).state, 'CANCELLED');
  assert.equal((await client.checkpoint({ wait: false })).state, 'RUNNING');
  assert.equal(stub.operationRequest.table, null);
});

test('a renamed table has another handle, and options may be numbers', async () => {
  const renamed = await table.rename('new');
  assert.deepEqual([renamed.database, renamed.name, table.name], ['db', 'new', 't']);
  const info = await renamed.alter({ DURABILITY: 'SYNC', MAX_VALUE_BYTES: 10 });
  assert.deepEqual([info.table, info.options], ['new', { DURABILITY: 'SYNC', MAX_VALUE_BYTES: '10' }]);
  await assert.rejects(table.rename(), InvalidRequestError);
  await assert.rejects(table.alter(), InvalidRequestError);
});

test('backups have ids of 64 bits and a time', async () => {
  const id = 2n ** 62n + 1n;
  const bytes = thrift.fromBigInt(2n ** 40n);
  const sound = { backup_id: thrift.fromBigInt(id), time_millis: thrift.fromBigInt(1_700_000_000_123n) };
  const sizes = { lsn: thrift.fromBigInt(7n), store_bytes: bytes, written_bytes: bytes };
  stub.backups = [new types.Backup({ ...sound, ...sizes }), new types.Backup({ ...sound, ...sizes, damage: 'all' })];
  stub.plan('backups', hangUp);
  const [first, second] = await client.backups();
  assert.deepEqual(first, {
    id,
    time: new Date(1_700_000_000_123),
    lsn: 7n,
    storeBytes: 2 ** 40,
    writtenBytes: 2 ** 40,
    damage: undefined,
  });
  assert.equal(second.damage, 'all');
  await client.deleteBackup(first);
  assert.equal(stub.deletedBackup, id);
  await assert.rejects(client.deleteBackup(1), InvalidRequestError);
});

test('jobs of backups name no table', async () => {
  for (const [kind, start] of Object.entries({
    BACKUP: () => client.backup({ wait: false }),
    VERIFY_BACKUPS: () => client.verifyBackups({ wait: false }),
    RESTORE: () => client.restore(2n ** 40n, 'db', 'db2', { wait: false }),
  })) {
    const started = await start();
    assert.equal(started.kind, kind);
    assert.equal(started.table, undefined);
    const restore = { backupId: 2n ** 40n, database: 'db', restoredAs: 'db2' };
    assert.deepEqual(started.restore, kind === 'RESTORE' ? restore : undefined);
    assert.equal(stub.operationRequest.table, null);
  }
  await assert.rejects(client.restore(1n, 'db'), InvalidRequestError);
});

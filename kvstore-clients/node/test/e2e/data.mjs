import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

import {
  Condition,
  ConditionFailedError,
  InvalidRequestError,
  SnapshotExpiredError,
  TooLargeError,
} from 'kvstore-client';

import { collect, fails, fill } from './harness.mjs';

/** @typedef {import('./harness.mjs').World} World */
/** @typedef {(world: World, engine: string) => Promise<void>} Scenario */

/** @type {Scenario} */
export async function values(world, engine) {
  const table = await world.create(`values_${engine}`, engine);
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const longest = Buffer.alloc(65_535, 0xfe);
  for (const key of [everyByte, Buffer.alloc(0), longest, 'text \u00e9 \ud83d\ude00']) {
    const value = randomBytes(100);
    await table.put(key, value);
    assert.deepEqual(await table.get(key), value);
    assert.equal(await table.contains(key), true);
    await table.remove(key, { durability: 'SYNC' });
    assert.equal(await table.get(key), undefined);
    assert.equal(await table.contains(key), false);
    await table.remove(key);
  }
  await fails(table.put(Buffer.alloc(65_536), ''), TooLargeError, 'TOO_LARGE');
  await fails(table.get(Buffer.alloc(65_536)), TooLargeError, 'TOO_LARGE');
  await table.put('empty', '', { durability: 'BUFFERED' });
  assert.deepEqual(await table.get('empty'), Buffer.alloc(0));
  assert.equal(await table.get('missing'), undefined);
}

/** @type {Scenario} */
export async function largeValues(world, engine) {
  const table = await world.create(`large_${engine}`, engine);
  const value = randomBytes(8 * 1024 * 1024);
  await table.put('large', value);
  assert.ok((await table.get('large'))?.equals(value));
  const { maxValueBytes } = await world.client.serverInfo();
  await fails(table.put('over', Buffer.alloc(maxValueBytes + 1)), TooLargeError, 'TOO_LARGE');
  assert.equal(await table.contains('over'), false);
  await table.put('small', 'value');
  assert.equal((await table.get('small'))?.toString(), 'value');
}

/** @type {Scenario} */
export async function getAll(world, engine) {
  const table = await world.create(`all_${engine}`, engine);
  await table.batch().put('a', '1').put('b', '').put('c', '3').commit();
  const all = await table.getAll(['c', 'none', 'a', 'c', 'b']);
  assert.deepEqual(
    all.map((value) => value?.toString()),
    ['3', undefined, '1', '3', ''],
  );
  assert.deepEqual(await table.getAll([]), []);
}

/** @type {Scenario} */
export async function conditions(world, engine) {
  const table = await world.create(`conditions_${engine}`, engine);
  const value = async () => (await table.get('k'))?.toString();
  assert.equal(await table.replace('k', '', 'none'), false);
  assert.equal(await table.putIfAbsent('k', 'one'), true);
  assert.equal(await table.putIfAbsent('k', 'two'), false);
  assert.equal(await value(), 'one');
  assert.equal(await table.replace('k', 'zero', 'two'), false);
  assert.equal(await table.replace('k', 'one', 'two'), true);
  assert.equal(await value(), 'two');
  const tagged = await table.getWithTag('k');
  assert.equal(tagged?.value.toString(), 'two');
  assert.equal(typeof tagged.tag, 'bigint');
  assert.equal(await table.putIf('k', 'three', Condition.tagIs(tagged.tag)), true);
  assert.equal(await table.putIf('k', 'four', Condition.tagIs(tagged.tag)), false);
  assert.equal(await table.putIf('other', 'five', Condition.exists()), false);
  assert.equal(await table.removeIf('k', Condition.tagIs(tagged.tag)), false);
  assert.equal(await table.removeExpecting('k', 'two'), false);
  assert.equal(await value(), 'three');
  assert.equal(await table.removeExpecting('k', 'three'), true);
  assert.equal(await value(), undefined);
  assert.equal(await table.getWithTag('k'), undefined);
  assert.equal(await table.removeIf('k', Condition.absent()), true);
}

/** @type {Scenario} */
export async function merges(world, engine) {
  const table = await world.create(`merges_${engine}`, engine);
  const value = async (/** @type {string} */ key) => (await table.get(key))?.toString();
  assert.equal(await table.add('n', 5), 5n);
  assert.equal(await table.add('n', -7n, { durability: 'SYNC' }), -2n);
  assert.equal(await value('n'), '-2');
  await table.put('n', String(2n ** 63n - 1n));
  await fails(table.add('n', 1), InvalidRequestError, 'INVALID_REQUEST');
  assert.equal(await table.add('n', -(2n ** 63n)), -1n);
  await table.put('n', 'seven');
  await fails(table.add('n', 1), InvalidRequestError, 'INVALID_REQUEST');
  assert.equal(await value('n'), 'seven');

  assert.equal(await table.append('text', 'abc'), 3);
  assert.equal(await table.append('text', Buffer.from('de')), 5);
  assert.equal(await table.patch('text', 1, 'BC'), 5);
  assert.equal(await table.patch('text', 5, 'FG'), 7);
  for (const offset of [-1, 8]) {
    await fails(table.patch('text', offset, 'x'), InvalidRequestError, 'INVALID_REQUEST');
  }
  await fails(table.append('text', Buffer.alloc(1 << 20)), InvalidRequestError, 'INVALID_REQUEST');
  assert.equal((await table.getAndPut('text', ''))?.toString(), 'aBCdeFG');
  assert.deepEqual(await table.getAndRemove('text'), Buffer.alloc(0));
  assert.equal(await table.getAndRemove('text'), undefined);
  assert.equal(await table.getAndPut('text', '1'), undefined);

  const batch = table.batch().put('n', '1').add('n', 41).append('list', 'abc').patch('list', 1, 'B').remove('text');
  await batch.commit();
  assert.equal(await value('n'), '42');
  assert.equal(await value('list'), 'aBc');
  assert.equal(await value('text'), undefined);
  await fails(table.batch().add('n', 1).add('list', 1).commit(), InvalidRequestError, 'INVALID_REQUEST');
  assert.equal(await value('n'), '42');
}

/** @type {Scenario} */
export async function batches(world, engine) {
  const table = await world.create(`batch_a_${engine}`, engine);
  const other = await world.create(`batch_b_${engine}`, engine);
  await table.put('old', 'value');
  const first = await table.batch().put('a', '1').put('b', '2', other).remove('old').put('c', '3', other.name).commit();
  assert.deepEqual(
    (await collect(table.scan())).map(({ key }) => key.toString()),
    ['a'],
  );
  assert.deepEqual(
    (await collect(other.scan())).map(({ key }) => key.toString()),
    ['b', 'c'],
  );
  const batch = table.batch().put('d', '4').remove('b', other);
  batch.check('a', Condition.valueIs('1')).check('c', Condition.exists(), other).check('c', Condition.absent(), other);
  const error = await fails(batch.commit(), ConditionFailedError, 'CONDITION_FAILED');
  assert.equal(error.failedCheck, 2);
  assert.equal(await table.contains('d'), false);
  assert.equal(await other.contains('b'), true);
  const second = await table.batch().put('d', '4').check('b', Condition.valueIs('2'), other).commit();
  assert.ok(second > first);
  assert.equal(await table.contains('d'), true);
}

/** @type {Scenario} */
export async function snapshots(world, engine) {
  const table = await world.create(`snapshot_${engine}`, engine);
  await fill(table, 20);
  await fails(world.client.snapshot({ leaseMillis: 999 }), InvalidRequestError, 'INVALID_REQUEST');
  const snapshot = await world.client.snapshot({ leaseMillis: 30_000 });
  assert.equal(snapshot.leaseMillis, 30_000);
  await table.batch().put('key00000', 'changed').remove('key00001').put('new', 'entry').commit();
  const old = snapshot.table(world.database, table.name);
  assert.equal((await old.get('key00000'))?.toString(), 'value 0');
  const tagged = await old.getWithTag('key00000');
  assert.equal(tagged?.value.toString(), 'value 0');
  const all = await old.getAll(['key00001', 'new']);
  assert.deepEqual(
    all.map((value) => value?.toString()),
    ['value 1', undefined],
  );
  assert.equal(await old.contains('new'), false);
  assert.equal(await old.count(), 20);
  const scanned = await collect(old.scan({ pageSize: 7 }));
  assert.deepEqual(
    scanned.map(({ value }) => value?.toString()),
    Array.from({ length: 20 }, (_, n) => `value ${n}`),
  );
  const scan = old.scan({ pageSize: 7 });
  await scan.next();
  await snapshot.close();
  await snapshot.close();
  const reads = [
    () => old.get('a'),
    () => old.getAll(['a']),
    () => old.contains('a'),
    () => old.count(),
    () => collect(old.scan()),
    () => collect(scan),
  ];
  for (const read of reads) {
    await fails(read(), SnapshotExpiredError, 'SNAPSHOT_EXPIRED');
  }
  assert.equal((await table.get('key00000'))?.toString(), 'changed');
}

/** @type {Scenario} */
export async function figures(world, engine) {
  const table = await world.create(`figures_${engine}`, engine);
  await fill(table, 1_000);
  assert.ok(Object.values((await table.stats()).numbers).some((number) => number > 0));
  assert.ok(Object.values((await world.client.stats()).numbers).some((number) => number > 0));
  for (const kind of /** @type {const} */ (['flush', 'optimize', 'verify'])) {
    const operation = await table[kind]();
    assert.equal(operation.state, 'DONE');
    assert.equal(operation.kind, kind.toUpperCase());
    assert.deepEqual(operation.table, { database: world.database, table: table.name });
    if (kind === 'verify') {
      assert.equal(operation.findingsTotal, 0);
      assert.deepEqual(operation.findings ?? [], []);
    }
  }
  const started = await world.client.checkpoint({ wait: false });
  const checkpoint = await world.client.waitForOperation(started);
  assert.equal(checkpoint.kind, 'CHECKPOINT');
  assert.equal(checkpoint.state, 'DONE');
  assert.equal(checkpoint.table, undefined);
  assert.ok((await world.client.operations()).some(({ id }) => id === started.id));
  assert.equal((await world.client.operation(started.id)).state, 'DONE');
  await table.truncate();
  assert.equal(await table.count(), 0);
}

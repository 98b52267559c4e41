import assert from 'node:assert/strict';

import { InvalidRequestError } from 'kvstore-client';

import { collect, fails, fill, numbered } from './harness.mjs';

/** @typedef {import('./harness.mjs').World} World */
/** @typedef {import('kvstore-client').ScanOptions} ScanOptions */

const COUNT = 2_500;

/**
 * The numbers from begin to before end.
 *
 * @param {number} begin
 * @param {number} end
 */
function numbers(begin, end) {
  return Array.from({ length: end - begin }, (_, index) => begin + index);
}

/**
 * Scans and counts ranges, with pages of several sizes.
 *
 * @param {World} world
 * @param {string} engine
 */
export async function scans(world, engine) {
  const table = await world.create(`scan_${engine}`, engine);
  await fill(table, COUNT);
  /** @type {[ScanOptions, number[]][]} */
  const cases = [
    [{}, numbers(0, COUNT)],
    [{ pageSize: 7 }, numbers(0, COUNT)],
    [{ reversed: true }, numbers(0, COUNT).reverse()],
    [{ reversed: true, pageSize: 7, prefix: 'key001' }, numbers(100, 200).reverse()],
    [{ prefix: 'key021' }, numbers(2_100, 2_200)],
    [{ prefix: Buffer.from('key021'), pageSize: 7 }, numbers(2_100, 2_200)],
    [{ prefix: 'none' }, []],
    [{ start: numbered(10), stop: numbered(20) }, numbers(10, 20)],
    [{ start: numbered(10), startExclusive: true, stop: numbered(20), stopInclusive: true }, numbers(11, 21)],
    [{ start: numbered(10), stop: numbered(20), stopInclusive: true, reversed: true }, numbers(10, 21).reverse()],
    [{ start: numbered(2_490) }, numbers(2_490, COUNT)],
    [{ stop: numbered(10), pageSize: 7 }, numbers(0, 10)],
    [{ limit: 0 }, []],
    [{ limit: 10 }, numbers(0, 10)],
    [{ limit: 1_500 }, numbers(0, 1_500)],
    [{ limit: 20, pageSize: 7 }, numbers(0, 20)],
    [{ limit: 20, pageSize: 7, reversed: true }, numbers(2_480, COUNT).reverse()],
    [{ pageBytes: 500, prefix: 'key021' }, numbers(2_100, 2_200)],
  ];
  for (const [options, expected] of cases) {
    const entries = await collect(table.scan(options));
    const name = JSON.stringify(options);
    assert.deepEqual(
      entries.map(({ key }) => key.toString()),
      expected.map(numbered),
      name,
    );
    assert.deepEqual(
      entries.map(({ value }) => value?.toString()),
      expected.map((number) => `value ${number}`),
      name,
    );
    const keys = await collect(table.scan({ ...options, keysOnly: true }));
    assert.deepEqual(
      keys.map(({ key }) => key.toString()),
      expected.map(numbered),
      name,
    );
    assert.ok(
      keys.every(({ value, valueBytes }) => value === undefined && valueBytes === undefined),
      name,
    );
  }
  await leaveScan(world, engine);
}

/**
 * A scan that is left before its end gives its connection back.
 *
 * @param {World} world
 * @param {string} engine
 */
async function leaveScan(world, engine) {
  const table = world.client.table(world.database, `scan_${engine}`);
  for (let round = 0; round < 10; round++) {
    for await (const { key } of table.scan({ pageSize: 7 })) {
      assert.equal(key.toString(), numbered(0));
      break;
    }
  }
}

/**
 * A value that is too large for an answer, and continuations.
 *
 * @param {World} world
 * @param {string} engine
 */
export async function pages(world, engine) {
  const table = await world.create(`pages_${engine}`, engine);
  await table.batch().put('a', 'small').put('b', Buffer.alloc(5_000, 1)).put('c', '').commit();
  const entries = await collect(table.scan({ maxValueBytes: 100 }));
  assert.deepEqual(
    entries.map(({ key, value, valueBytes }) => [key.toString(), value?.toString(), valueBytes]),
    [
      ['a', 'small', undefined],
      ['b', undefined, 5_000],
      ['c', '', undefined],
    ],
  );
  assert.equal((await table.get(entries[1].key))?.length, 5_000);
  const first = await table.scanPage({ pageSize: 2 });
  assert.equal(first.entries.length, 2);
  assert.ok(first.continuation !== undefined);
  const second = await table.scanPage({ pageSize: 2, continuation: first.continuation });
  assert.deepEqual(
    second.entries.map(({ key }) => key.toString()),
    ['c'],
  );
  assert.equal(second.continuation, undefined);
  for (const continuation of [Buffer.from('garbage'), Buffer.alloc(0), Buffer.alloc(100, 7)]) {
    const page = table.scanPage({ pageSize: 2, continuation });
    await fails(page, InvalidRequestError, 'CONTINUATION_INVALID');
  }
  for (const wrong of [{ pageSize: 0 }, { pageSize: -1 }, { pageBytes: 0 }, { prefix: 'a', start: 'a' }]) {
    await fails(collect(table.scan(wrong)), InvalidRequestError, 'INVALID_REQUEST');
  }
}

/**
 * @param {World} world
 * @param {string} engine
 */
export async function counts(world, engine) {
  const table = world.client.table(world.database, `scan_${engine}`);
  assert.equal(await table.count(), COUNT);
  assert.equal(await table.count({ prefix: 'key021' }), 100);
  assert.equal(await table.count({ start: numbered(10), stop: numbered(20) }), 10);
  const inside = { start: numbered(10), startExclusive: true, stop: numbered(20), stopInclusive: true };
  assert.equal(await table.count(inside), 10);
  assert.equal(await table.count({ start: numbered(2_490) }), 10);
  assert.equal(await table.count({ prefix: 'none' }), 0);
}

/**
 * A table without an order of keys has each key once, and no ranges.
 *
 * @param {World} world
 */
export async function ownOrder(world) {
  const table = await world.create('own_order', 'hash');
  assert.equal((await table.describe()).ordered, false);
  await fill(table, 500);
  const found = (await collect(table.scan({ pageSize: 7 }))).map(({ key }) => key.toString());
  assert.deepEqual(found.toSorted(), numbers(0, 500).map(numbered));
  const whole = (await collect(table.scan())).map(({ key }) => key.toString());
  assert.deepEqual(whole, found);
  assert.equal(await table.count(), 500);
  for (const refused of [{ prefix: 'k' }, { start: 'a' }, { stop: 'z' }, { reversed: true }]) {
    await fails(collect(table.scan(refused)), InvalidRequestError, 'INVALID_REQUEST');
  }
  await fails(table.count({ prefix: 'k' }), InvalidRequestError, 'INVALID_REQUEST');
}

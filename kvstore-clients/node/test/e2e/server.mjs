import assert from 'node:assert/strict';
import { exec } from 'node:child_process';
import net from 'node:net';
import { promisify } from 'node:util';

import {
  AlreadyExistsError,
  Client,
  connect,
  ConnectionFailedError,
  InvalidRequestError,
  KVStoreError,
  NotFoundError,
  TableDroppedError,
  UnauthenticatedError,
} from 'kvstore-client';

import { collect, fails, fill, numbered } from './harness.mjs';

/** @typedef {import('./harness.mjs').World} World */

/** @param {World} world */
export async function definitions({ client, database }) {
  const info = await client.serverInfo();
  assert.ok(info.version.length > 0);
  assert.ok(['bplus', 'hash', 'lsm'].every((engine) => info.engines.includes(engine)));
  assert.equal(info.maxKeyBytes, 65_535);
  assert.ok(info.maxFrameBytes > info.maxValueBytes && info.maxItems > 0);
  assert.equal(await client.createDatabase(database), true);
  assert.equal(await client.createDatabase(database), false);
  assert.ok((await client.databases()).includes(database));
  for (const engine of ['bplus', 'lsm']) {
    const made = await client.createTable(database, `first_${engine}`, engine, { DURABILITY: 'BUFFERED' });
    assert.equal(made.engine, engine);
    assert.equal(made.ordered, true);
    assert.equal(made.options.DURABILITY?.toUpperCase(), 'BUFFERED');
    const again = await client.createTable(database, `first_${engine}`, engine, { DURABILITY: 'BUFFERED' });
    assert.deepEqual(again, made);
    assert.deepEqual(await client.table(database, `first_${engine}`).describe(), made);
    const other = engine === 'lsm' ? 'bplus' : 'lsm';
    const differing = client.createTable(database, `first_${engine}`, other);
    await fails(differing, AlreadyExistsError, 'DEFINITION_DIFFERS');
  }
  assert.deepEqual(await client.tables(database), ['first_bplus', 'first_lsm']);
  await fails(client.dropDatabase(database), KVStoreError, 'DATABASE_NOT_EMPTY');
}

/** @param {World} world */
export async function errors({ client, database }) {
  await fails(client.tables('e2e_node_none'), NotFoundError, 'DATABASE_NOT_FOUND');
  await fails(client.table('e2e_node_none', 't').get('a'), NotFoundError, 'DATABASE_NOT_FOUND');
  await fails(client.table(database, 'none').get('a'), NotFoundError, 'TABLE_NOT_FOUND');
  await fails(client.table(database, 'none').put('a', 'b'), NotFoundError, 'TABLE_NOT_FOUND');
  await fails(client.createDatabase('/not/a/name'), InvalidRequestError, 'INVALID_REQUEST');
  await fails(client.createTable(database, '', 'lsm'), InvalidRequestError, 'INVALID_REQUEST');
  await fails(client.createTable(database, 't', 'none'), InvalidRequestError, 'INVALID_REQUEST');
  await fails(client.operation(2n ** 62n), NotFoundError, 'NOT_FOUND');
}

/**
 * @param {World} world
 * @param {string} engine
 */
export async function droppedWhileScanned(world, engine) {
  const table = await world.create(`dropped_${engine}`, engine);
  await fill(table, 50);
  const scan = table.scan({ pageSize: 7 });
  for (let number = 0; number < 7; number++) {
    assert.equal((await scan.next()).value?.key.toString(), numbered(number));
  }
  await table.drop();
  await fails(scan.next(), TableDroppedError, 'TABLE_DROPPED');
}

/** @param {World} world */
export async function manyTasks(world) {
  const table = await world.create('tasks', 'bplus');
  const client = new Client(world.url(), { pool: 4 });
  const shared = client.table(world.database, 'tasks');
  /** @param {number} task */
  const work = async (task) => {
    for (let round = 0; round < 200; round++) {
      await shared.put(`${task}/${round}`, `value ${task * 1_000 + round}`);
      const value = await shared.get(`${task}/${round}`);
      assert.equal(value?.toString(), `value ${task * 1_000 + round}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: 8 }, (_, task) => work(task)));
  } finally {
    await client.close();
  }
  assert.equal(await table.count(), 1_600);
}

/**
 * @param {World} world
 * @param {string} command
 */
export async function restart(world, command) {
  const table = await world.create('restarted', 'lsm');
  await fill(table, 2_500);
  await Promise.all(Array.from({ length: 4 }, () => table.count()));
  let count = 0;
  for await (const { key, value } of table.scan({ pageSize: 100 })) {
    assert.equal(key.toString(), numbered(count));
    assert.equal(value?.toString(), `value ${count}`);
    count++;
    if (count === 250) {
      await promisify(exec)(command);
    }
  }
  assert.equal(count, 2_500);
  await table.put('after', 'the restart');
  assert.equal((await table.get('after'))?.toString(), 'the restart');
  assert.equal((await collect(table.scan({ keysOnly: true, limit: 1 }))).length, 1);
}

/** Connects to a port where nobody listens. */
export async function nobodyListens() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  await new Promise((resolve) => server.close(resolve));
  const begin = performance.now();
  await fails(connect(`kvstore://127.0.0.1:${address.port}`), ConnectionFailedError, 'CONNECTION_FAILED');
  assert.ok(performance.now() - begin < 3_000, 'it took too long');
}

/** @param {World} world */
export async function wrongUrls({ address }) {
  for (const url of [`http://${address}`, `kvstore://${address}?retries=3`, `kvstore://${address}?pool=none`]) {
    await fails(connect(url), InvalidRequestError, 'INVALID_REQUEST');
  }
}

/** @param {World} world */
export async function tokens(world) {
  for (const token of ['', 'a-wrong-token-of-more-than-32-characters']) {
    await fails(connect(world.url(token)), UnauthenticatedError, 'UNAUTHENTICATED');
    const client = new Client(world.url(token));
    await fails(client.databases(), UnauthenticatedError, 'UNAUTHENTICATED');
    await client.close();
  }
  await (await connect(world.url())).close();
}

import assert from 'node:assert/strict';

import { AlreadyExistsError, InvalidRequestError, NotFoundError, TooLargeError } from 'kvstore-client';

import { collect, fails, fill, numbered } from './harness.mjs';

/** @typedef {import('./harness.mjs').World} World */

const FOR_LIFE = new Map([
  ['bplus', 'BTREE_ORDER'],
  ['lsm', 'SPARSE_INDEX_SIZE'],
]);

/**
 * Renames a table with a snapshot open, and gives its first name to another one.
 *
 * @param {World} world
 * @param {string} engine
 */
export async function rename(world, engine) {
  const { client, database } = world;
  const table = await world.create(`named_${engine}`, engine);
  const other = await world.create(`other_${engine}`, engine);
  const before = await table.describe();
  await table.put('k', 'v');
  const snapshot = await client.snapshot();
  await table.put('k', 'w');
  await fails(table.rename(other.name), AlreadyExistsError, 'ALREADY_EXISTS');
  await fails(table.rename('not/a/name'), InvalidRequestError, 'INVALID_REQUEST');

  const renamed = await table.rename(`renamed_${engine}`);
  assert.equal(renamed.name, `renamed_${engine}`);
  assert.deepEqual(await renamed.describe(), { ...before, table: renamed.name });
  assert.equal((await renamed.get('k'))?.toString(), 'w');
  assert.equal((await snapshot.table(database, renamed.name).get('k'))?.toString(), 'v');
  await snapshot.close();
  const names = await client.tables(database);
  assert.ok(names.includes(renamed.name) && !names.includes(table.name), names.join());
  await fails(table.get('k'), NotFoundError, 'TABLE_NOT_FOUND');
  await fails(table.rename('again'), NotFoundError, 'TABLE_NOT_FOUND');

  await world.create(table.name, engine);
  assert.equal(await table.get('k'), undefined);
  assert.equal((await renamed.get('k'))?.toString(), 'w');
}

/**
 * Gives options other values, which count at once.
 *
 * @param {World} world
 * @param {string} engine
 */
export async function alter(world, engine) {
  const table = await world.create(`altered_${engine}`, engine);
  const before = await table.describe();
  const expected = { ...before, options: { ...before.options, DURABILITY: 'SYNC', MAX_VALUE_BYTES: '10' } };
  assert.deepEqual(await table.alter({ DURABILITY: 'SYNC', MAX_VALUE_BYTES: 10 }), expected);
  assert.deepEqual(await table.describe(), expected);
  await table.put('k', Buffer.alloc(10));
  await fails(table.put('k', Buffer.alloc(11)), TooLargeError, 'TOO_LARGE');
  expected.options.MAX_VALUE_BYTES = '11';
  assert.deepEqual(await table.alter({ MAX_VALUE_BYTES: 11 }), expected);
  await table.put('k', Buffer.alloc(11));

  const forLife = FOR_LIFE.get(engine) ?? '';
  /** @type {import('kvstore-client').TableOptions[]} */
  const refused = [{ [forLife]: 77 }, { DURABILITY: 'BUFFERED', NO_SUCH_OPTION: 1 }, { DURABILITY: 'NEVER' }];
  for (const wrong of refused) {
    await fails(table.alter(wrong), InvalidRequestError, 'INVALID_REQUEST');
  }
  assert.deepEqual(await table.describe(), expected);
  const none = world.client.table(world.database, 'none');
  await fails(none.alter({ DURABILITY: 'SYNC' }), NotFoundError, 'TABLE_NOT_FOUND');
}

/**
 * Whether the server was started with a directory for backups.
 *
 * @param {World} world
 */
export async function backsUp({ client }) {
  return await client.backups().then(
    () => true,
    (error) => !(error instanceof InvalidRequestError),
  );
}

/**
 * Makes a backup, restores the database from it under another name, and deletes it.
 *
 * @param {World} world
 */
export async function backups(world) {
  const { client, database } = world;
  const table = await world.create('saved', 'lsm');
  await fill(table, 1_000);
  const made = await client.backup();
  assert.equal(made.state, 'DONE');
  assert.equal(made.kind, 'BACKUP');
  assert.equal(made.table, undefined);
  const { backup } = made;
  assert.ok(backup !== undefined && backup.storeBytes > 0);
  const listed = await client.backups();
  assert.deepEqual(listed.find(({ id }) => id === backup.id), backup);
  const verified = await client.verifyBackups();
  assert.deepEqual([verified.state, verified.findingsTotal], ['DONE', 0]);

  const restoredAs = `${database}_restored`;
  try {
    await table.remove(numbered(0));
    const restored = await client.restore(backup, database, restoredAs);
    assert.deepEqual([restored.state, restored.kind], ['DONE', 'RESTORE']);
    assert.deepEqual(restored.restore, { backupId: backup.id, database, restoredAs });
    const entries = await collect(client.table(restoredAs, 'saved').scan());
    assert.deepEqual(
      entries.map(({ key, value }) => `${key} ${value}`),
      Array.from({ length: 1_000 }, (_, number) => `${numbered(number)} value ${number}`),
    );
    await client.table(restoredAs, 'saved').put(numbered(0), 'another');
    assert.equal(await table.get(numbered(0)), undefined);
    await fails(client.restore(backup, database, restoredAs), AlreadyExistsError, 'ALREADY_EXISTS');
  } finally {
    await world.drop(restoredAs);
  }
  const never = 'e2e_node_never';
  await fails(client.restore(backup, database, 'not/a/name'), InvalidRequestError, 'INVALID_REQUEST');
  await fails(client.restore(backup, 'e2e_node_none', never), NotFoundError, 'NOT_FOUND', 'DATABASE_NOT_FOUND');
  await client.deleteBackup(backup);
  assert.ok((await client.backups()).every(({ id }) => id !== backup.id));
  await fails(client.deleteBackup(backup), NotFoundError, 'NOT_FOUND');
  await fails(client.restore(backup, database, never), NotFoundError, 'NOT_FOUND');
  assert.ok((await client.operations()).some(({ id }) => id === made.id));
}

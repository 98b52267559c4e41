import * as changes from './changes.mjs';
import * as data from './data.mjs';
import { World } from './harness.mjs';
import * as scans from './scans.mjs';
import * as server from './server.mjs';

const [address, token] = process.argv.slice(2);
if (address === undefined) {
  console.error('usage: main.mjs HOST:PORT [TOKEN]');
  process.exit(1);
}

const world = new World(address, token);
try {
  await world.run('definitions', () => server.definitions(world));
  for (const engine of ['bplus', 'lsm']) {
    await world.run(`${engine}: put, get, contains, remove`, () => data.values(world, engine));
    await world.run(`${engine}: large values`, () => data.largeValues(world, engine));
    await world.run(`${engine}: get all`, () => data.getAll(world, engine));
    await world.run(`${engine}: conditions`, () => data.conditions(world, engine));
    await world.run(`${engine}: merges`, () => data.merges(world, engine));
    await world.run(`${engine}: batches`, () => data.batches(world, engine));
    await world.run(`${engine}: scans`, () => scans.scans(world, engine));
    await world.run(`${engine}: pages and continuations`, () => scans.pages(world, engine));
    await world.run(`${engine}: counts`, () => scans.counts(world, engine));
    await world.run(`${engine}: snapshots`, () => data.snapshots(world, engine));
    await world.run(`${engine}: rename`, () => changes.rename(world, engine));
    await world.run(`${engine}: alter`, () => changes.alter(world, engine));
    await world.run(`${engine}: figures and operations`, () => data.figures(world, engine));
    await world.run(`${engine}: table dropped while it is scanned`, () => server.droppedWhileScanned(world, engine));
  }
  await world.run('hash: an order of its own', () => scans.ownOrder(world));
  if (await changes.backsUp(world)) {
    await world.run('backups', () => changes.backups(world));
  } else {
    console.log('skipped backups: the server has no directory for them');
  }
  await world.run('errors', () => server.errors(world));
  await world.run('8 tasks', () => server.manyTasks(world));
  const command = process.env.KVSTORE_E2E_RESTART;
  if (command) {
    await world.run('restart', () => server.restart(world, command));
  } else {
    console.log('skipped restart: KVSTORE_E2E_RESTART is not set');
  }
  await world.run('nobody listens', () => server.nobodyListens());
  await world.run('wrong URLs', () => server.wrongUrls(world));
  if (token) {
    await world.run('tokens', () => server.tokens(world));
  } else {
    console.log('skipped tokens: no token is given');
  }
} finally {
  await world.run('clean up', () => world.clean());
}
process.exitCode = world.failures === 0 ? 0 : 1;

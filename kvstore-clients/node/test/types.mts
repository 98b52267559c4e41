import type { Backup, Batch, Entry, KeyRange, Operation, ScanPage, TableReader } from 'kvstore-client';
import {
  Client,
  Condition,
  ConditionFailedError,
  connect,
  InvalidRequestError,
  KVStoreError,
  Snapshot,
  Table,
} from 'kvstore-client';

/** Never run: it holds if it compiles. */
export async function uses(): Promise<void> {
  await using client: Client = await connect('kvstore://localhost', { pool: 2, tls: { ca: 'PEM' } });
  const table: Table = client.table('db', 't');
  const value: Buffer | undefined = await table.get(new Uint8Array(1));
  await table.put('key', value ?? Buffer.alloc(0), { durability: 'SYNC' });
  for await (const entry of table.scan({ prefix: 'a' })) {
    const { key, valueBytes }: Entry = entry;
    const size: number | undefined = valueBytes;
    await table.remove(key.subarray(0, size));
  }
  const page: ScanPage = await table.scanPage();
  await table.scanPage(page.continuation === undefined ? {} : { continuation: page.continuation });
  const batch: Batch = table.batch().put('a', 'b').check('c', { kind: 'TAG_IS', tag: 1n }).remove('d', table);
  const place: bigint = await batch.check('e', Condition.absent(), 'other').commit();
  const sum: bigint = await table.add('n', 1, { durability: 'SYNC' });
  const length: number = (await table.append('a', 'b')) + (await table.patch('a', 0, Buffer.alloc(1)));
  const before: Buffer | undefined = (await table.getAndPut('a', 'b')) ?? (await table.getAndRemove('a'));
  await table.batch().add('n', sum).append('a', before ?? '').patch('a', length, 'c', 'other').commit();
  await using snapshot: Snapshot = await client.snapshot();
  const reader: TableReader = snapshot.table('db', 't');
  const range: KeyRange = { start: 'a', stopInclusive: true };
  const count: number = await reader.count(range);
  const operation: Operation = await client.waitForOperation(await table.verify({ wait: false }));
  const operations: Operation[] = [operation, await client.operation(place + BigInt(count))];
  const ordered: boolean = (await table.describe()).ordered;
  await table.put('ordered', String(ordered));
  await client.createTable('db', 't', 'another', { MEM_CACHE_SIZE: operations.length });
  const renamed: Table = await table.rename('t2');
  const altered: string | undefined = (await renamed.alter({ DURABILITY: 'SYNC', MAX_VALUE_BYTES: 10 })).options['DURABILITY'];
  const made: Backup | undefined = (await client.backup()).backup;
  for (const { id, time, damage } of await client.backups()) {
    await table.put(damage ?? `${altered}${time.toISOString()}`, String(id));
    await client.deleteBackup(id);
  }
  if (made !== undefined) {
    const restored: bigint | undefined = (await client.restore(made, 'db', 'db2', { wait: false })).restore?.backupId;
    await client.restore(restored ?? 1n, 'db', 'db3');
    await client.deleteBackup(made);
  }
  const damaged: number | undefined = (await client.verifyBackups()).findingsTotal;
  await table.put('damaged', String(damaged));
}

/** What must not compile. */
export async function misuses(client: Client): Promise<void> {
  const table = client.table('db', 't');
  // @ts-expect-error: the value may be undefined
  (await table.get('a')).toString();
  // @ts-expect-error: a number is not a key
  await table.get(1);
  // @ts-expect-error: there is no such option
  table.scan({ prefx: 'a' });
  // @ts-expect-error: a count has no limit
  await table.count({ limit: 3 });
  // @ts-expect-error: a tag is a bigint
  Condition.tagIs(1);
  // @ts-expect-error: a delta is a number
  await table.add('n', '1');
  // @ts-expect-error: a snapshot cannot be written
  await (await client.snapshot()).table('db', 't').put('a', 'b');
  // @ts-expect-error: an id is a bigint
  await client.deleteBackup(1);
  // @ts-expect-error: tables come from a client
  new Table();
}

/** Errors are told apart by their classes and codes. */
export function tell(error: unknown): string {
  if (error instanceof ConditionFailedError) {
    return String(error.failedCheck.toFixed());
  }
  if (error instanceof InvalidRequestError || (error instanceof KVStoreError && error.code === 'DISK_FULL')) {
    return `${error.errorId ?? ''}${error.details['limit'] ?? ''}${error.outcome === 'REJECTED'}`;
  }
  return new KVStoreError('another', { code: 'INTERNAL_ERROR' }).message;
}

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { Client, ConnectionFailedError } from 'kvstore-client';

import { Stub } from './stub.mjs';

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

function makeCertificate(names) {
  const folder = mkdtempSync(path.join(tmpdir(), 'kvstore-tls-'));
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name));
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${names}`];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const made = { key: readFileSync(key), cert: readFileSync(cert) };
  rmSync(folder, { recursive: true });
  return made;
}

test('TLS with a certificate that is trusted, one that is not, and one for another host', { skip }, async () => {
  for (const [names, trusted, works] of [
    ['IP:127.0.0.1', true, true],
    ['IP:127.0.0.1', false, false],
    ['DNS:elsewhere.example', true, false],
  ]) {
    const certificate = makeCertificate(names);
    const stub = await Stub.start(certificate);
    const client = new Client(stub.url, { tls: trusted ? { ca: certificate.cert } : {} });
    if (works) {
      assert.deepEqual(await client.databases(), ['one', 'two']);
    } else {
      await assert.rejects(client.databases(), ConnectionFailedError);
      assert.equal(stub.calls.length, 0);
    }
    await client.close();
    await stub.stop();
  }
});

test('TLS options that cannot be used', async () => {
  const client = new Client('kvstores://127.0.0.1:1', { tls: { ca: 'not a certificate', minVersion: 'none' } });
  await assert.rejects(client.databases(), ConnectionFailedError);
  await client.close();
});

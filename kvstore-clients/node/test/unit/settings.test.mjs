import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Client, InvalidRequestError } from 'kvstore-client';

import { readSettings } from '../../src/settings.js';

test('a URL with nothing but a host', () => {
  assert.deepEqual(
    { ...readSettings('kvstore://db.example') },
    {
      secure: false,
      host: 'db.example',
      port: 9090,
      token: undefined,
      tls: undefined,
      connectTimeoutMs: 5_000,
      timeoutMs: 30_000,
      pool: 8,
      maxFrameBytes: 17 * 1024 * 1024,
    },
  );
});

test('a URL with everything', () => {
  const url = 'kvstores://a%40b%3Ac@[::1]:1234/?connect_timeout_ms=1&timeout_ms=2&pool=3&max_frame_bytes=4';
  const settings = readSettings(url);
  assert.equal(settings.secure, true);
  assert.equal(settings.host, '::1');
  assert.equal(settings.port, 1234);
  assert.equal(settings.token, 'a@b:c');
  assert.deepEqual(
    [settings.connectTimeoutMs, settings.timeoutMs, settings.pool, settings.maxFrameBytes],
    [1, 2, 3, 4],
  );
});

test('options go before the URL', () => {
  const settings = readSettings(new URL('kvstore://one@host?pool=3&timeout_ms=9'), { token: 'two', pool: 5 });
  assert.equal(settings.token, 'two');
  assert.equal(settings.pool, 5);
  assert.equal(settings.timeoutMs, 9);
});

for (const [url, reason] of [
  ['http://host', /scheme/],
  ['host:9090', /scheme|read/],
  ['', /read/],
  ['kvstore://', /host|read/],
  ['kvstore://:9090', /host|read/],
  ['kvstore://host:0', /port/],
  ['kvstore://host:65536', /read/],
  ['kvstore://host:x', /read/],
  ['kvstore://secret:more@host', /colon/],
  ['kvstore://secret%zz@host', /%/],
  ['kvstore://host/db', /path/],
  ['kvstore://host#a', /fragment/],
  ['kvstore://host?pol=3', /unknown parameter "pol"/],
  ['kvstore://host?pool=0', /pool/],
  ['kvstore://host?pool=-1', /pool/],
  ['kvstore://host?pool=1.5', /pool/],
  ['kvstore://host?pool=', /pool/],
  ['kvstore://host?pool=1e3', /pool/],
  ['kvstore://host?pool=1&pool=2', /more than once/],
  ['kvstore://host?timeout_ms=2147483648', /timeout_ms/],
  [undefined, /URL/],
]) {
  test(`a URL that is wrong: ${url}`, () => {
    assert.throws(
      () => new Client(url),
      (error) => {
        assert.ok(error instanceof InvalidRequestError);
        assert.equal(error.code, 'INVALID_REQUEST');
        assert.match(error.message, reason);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
  });
}

for (const options of [{ pool: '3' }, { pool: 0 }, { token: 1 }, { tls: {} }, { tls: null }, { retries: 3 }]) {
  test(`options that are wrong: ${JSON.stringify(options)}`, () => {
    assert.throws(() => new Client('kvstore://host', options), InvalidRequestError);
  });
}

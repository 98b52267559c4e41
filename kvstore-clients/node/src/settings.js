import { invalid } from './errors.js';

const DEFAULT_PORT = 9090;
const LARGEST = 0x7fffffff;

// The numbers: by their names in the URL and as options, with what they are without being given and at most.
const NUMBERS = [
  { parameter: 'connect_timeout_ms', option: 'connectTimeoutMs', otherwise: 5_000, largest: LARGEST },
  { parameter: 'timeout_ms', option: 'timeoutMs', otherwise: 30_000, largest: LARGEST },
  { parameter: 'pool', option: 'pool', otherwise: 8, largest: 10_000 },
  { parameter: 'max_frame_bytes', option: 'maxFrameBytes', otherwise: 17 * 1024 * 1024, largest: 0x3fffffff },
];

/**
 * Reads kvstore://[TOKEN@]HOST[:PORT][?PARAMETERS] and the options, which go before the URL. No message repeats the URL, since
 * it may have a token.
 */
export function readSettings(address, options = {}) {
  const url = parse(address);
  const settings = {
    secure: isSecure(url),
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    token: readToken(url),
    tls: undefined,
  };
  if (settings.host === '') {
    throw invalid('the URL names no host: kvstore://[TOKEN@]HOST[:PORT]');
  }
  if (settings.port === 0) {
    throw invalid('the port of the URL is 1 to 65535');
  }
  if (!['', '/'].includes(url.pathname) || url.hash !== '') {
    throw invalid('the URL has a path or a fragment: kvstore://[TOKEN@]HOST[:PORT]');
  }
  for (const { option, otherwise } of NUMBERS) {
    settings[option] = otherwise;
  }
  readParameters(url, settings);
  readOptions(options, settings);
  return Object.freeze(settings);
}

function parse(address) {
  if (typeof address !== 'string' && !(address instanceof URL)) {
    throw invalid('the address of the server is a URL');
  }
  if (!URL.canParse(address)) {
    throw invalid('the URL cannot be read: kvstore://[TOKEN@]HOST[:PORT]');
  }
  return new URL(address);
}

function isSecure(url) {
  if (url.protocol !== 'kvstore:' && url.protocol !== 'kvstores:') {
    throw invalid(`the scheme of the URL is kvstore or kvstores, not ${url.protocol.slice(0, -1)}`);
  }
  return url.protocol === 'kvstores:';
}

function readToken(url) {
  if (url.password !== '') {
    throw invalid('before the @ of the URL is the token, without a colon');
  }
  if (url.username === '') {
    return undefined;
  }
  try {
    return decodeURIComponent(url.username);
  } catch {
    throw invalid('the token of the URL has a % without two digits after it');
  }
}

function readParameters(url, settings) {
  const seen = new Set();
  for (const [name, text] of url.searchParams) {
    const number = NUMBERS.find(({ parameter }) => parameter === name);
    if (number === undefined) {
      throw invalid(`the URL has an unknown parameter ${JSON.stringify(name)}`);
    }
    if (seen.has(name)) {
      throw invalid(`the URL has the parameter ${name} more than once`);
    }
    seen.add(name);
    settings[number.option] = checkNumber(name, /^\d{1,10}$/.test(text) ? Number(text) : NaN, number.largest);
  }
}

function readOptions(options, settings) {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) {
      continue;
    }
    const number = NUMBERS.find(({ option }) => option === name);
    if (number !== undefined) {
      settings[name] = checkNumber(name, value, number.largest);
    } else if (name === 'token' && typeof value === 'string') {
      settings.token = value;
    } else if (name === 'tls' && typeof value === 'object' && value !== null) {
      settings.tls = value;
    } else if (name === 'token' || name === 'tls') {
      throw invalid(`the option ${name} has the wrong type`);
    } else {
      throw invalid(`there is no option ${JSON.stringify(name)}`);
    }
  }
  if (settings.tls !== undefined && !settings.secure) {
    throw invalid('the option tls needs a URL with kvstores://');
  }
}

function checkNumber(name, value, largest) {
  if (!Number.isInteger(value) || value < 1 || value > largest) {
    throw invalid(`${name} is a whole number from 1 to ${largest}`);
  }
  return value;
}

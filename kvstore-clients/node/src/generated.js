import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The Thrift runtime. */
export const thrift = require('thrift');

/** The generated structs and enums. */
export const types = require('../gen/kvstore_types.js');

/** The generated client class. */
export const ServiceClient = require('../gen/KVStoreService.js').Client;

import { ServiceClient, thrift } from './generated.js';

const { TBinaryProtocol, TFramedTransport } = thrift;
const { MessageType } = thrift.Thrift;

const WRITES = new Set([
  'createDatabase',
  'dropDatabase',
  'createTable',
  'dropTable',
  'truncateTable',
  'put',
  'remove',
  'putIf',
  'removeIf',
  'add',
  'append',
  'patch',
  'getAndPut',
  'getAndRemove',
  'write',
  'writeMerges',
  'startOperation',
  'cancelOperation',
  'renameTable',
  'alterTable',
  'deleteBackup',
]);

const LARGEST_SEQID = 0x7fffffff;
let lastSeqid = 0;

/**
 * One call: its request as a frame, and the way to read its answer. The request is encoded once, when the call is made: the
 * caller may change its buffers afterwards, and a call that is repeated sends the same bytes.
 *
 * Each call has a generated client and a transport of its own, since the runtime keeps what it wrote of a request that could
 * not be encoded and would send it before the next one.
 */
export class Call {
  #client;
  #convert;

  /**
   * @param {string} method the method's name in the API
   * @param {unknown[]} args its arguments, null for one that is left out
   * @param {(result: any) => any} [convert] makes the call's result of the generated one
   */
  constructor(method, args, convert = (result) => result) {
    this.method = method;
    this.isWrite = WRITES.has(method);
    lastSeqid = (lastSeqid % LARGEST_SEQID) + 1;
    this.seqid = lastSeqid;
    this.#convert = convert;
    const transport = new TFramedTransport(undefined, (frame) => {
      this.frame = frame;
    });
    this.#client = new ServiceClient(transport, TBinaryProtocol);
    this.#client._seqid = this.seqid;
    this.#client[`send_${method}`](...args);
  }

  /** The size of the request without the frame's head. */
  get frameBytes() {
    return this.frame.length - 4;
  }

  /**
   * Reads the answer. Throws if it is none to this call.
   *
   * @param {object} frame the runtime's transport with the frame that was received
   * @returns {{result?: unknown, failure?: unknown}} the result, or the exception that the server answered
   */
  decode(frame) {
    const input = new TBinaryProtocol(frame, true, true);
    const { fname, mtype, rseqid } = input.readMessageBegin();
    if (fname !== this.method || rseqid !== this.seqid) {
      throw new Error(`the answer is for ${fname} ${rseqid}, not for ${this.method} ${this.seqid}`);
    }
    if (mtype !== MessageType.REPLY && mtype !== MessageType.EXCEPTION) {
      throw new Error(`the answer has the message type ${mtype}`);
    }
    let failure = 'no answer was read';
    let result;
    this.#client._reqs[rseqid] = (error, success) => {
      failure = error;
      result = success;
    };
    this.#client[`recv_${fname}`](input, mtype, rseqid);
    return failure === null ? { result: this.#convert(result) } : { failure };
  }
}

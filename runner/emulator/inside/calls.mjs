// The calls that run in this process, and their requests to the backend.

import { AsyncLocalStorage } from "node:async_hooks";
import { Buffer } from "node:buffer";
import { setImmediate } from "node:timers";

import { convexToJson } from "convex/values";

import { checkTableName } from "../identifiers.mjs";
import { tableOf } from "../ids.mjs";
import { checkAllowedAtOnce, isAwaited, mayWrite } from "../functions/operations.mjs";
import { WRONG_ARGUMENTS, parseJson } from "../json_text.mjs";
import { makeRandom } from "./randomness.mjs";
import { Streams } from "./streams.mjs";

/**
 * A call. node is true for code of the Node.js runtime; now is the time that it sees, which does not change, undefined in actions; snapshot is the time of
 * the data that it sees, in nanoseconds; loading has the time and the random numbers of the deploy while modules
 * are loaded, and is null after that; heard is the number of awaited answers that it has received; fail ends it
 * with an error.
 *
 * @typedef {{ id: number, kind: import("../functions/operations.mjs").Kind, node: boolean, now?: number, snapshot?: string,
 *   loading: { now: number, random: () => number } | null, over: boolean, lines: number, heard: number,
 *   streams: Streams, fail: (error: unknown) => void }} Call
 */

/** The end of a call that its code cannot prevent. */
export class StopError extends Error {}

export class Calls {
  #running = new AsyncLocalStorage();
  /** @type {Map<number, Call>} */
  #underWay = new Map();
  #answers = new Map();
  #timers = new Map();
  #next = 1;

  /** @param {(message: object) => void} send sends a message to the backend */
  constructor(send) {
    this.send = send;
  }

  /** True if no call runs, and no code waits for an answer or a timer. */
  get areOver() {
    return this.#underWay.size === 0 && this.#answers.size === 0 && this.#timers.size === 0;
  }

  /** @returns {Call | undefined} */
  current() {
    return this.#running.getStore();
  }

  /**
   * Runs `work` as the call with the id `exec`.
   *
   * In the default runtime, a rejected promise that no code handles ends its call.
   */
  async run({ exec: id, now, snapshot, node = false }, kind, work) {
    const streams = new Streams();
    /** @type {PromiseWithResolvers<never>} */
    const { promise: failed, reject } = Promise.withResolvers();
    failed.catch(() => {});
    const fail = node ? () => {} : reject;
    const state = { loading: null, over: false, lines: 0, heard: 0 };
    const call = { id, kind, node, now, snapshot, ...state, streams, fail };
    this.#underWay.set(id, call);
    const result = await this.#running.run(call, () => Promise.race([work(), failed]));
    // After this turn unhandled rejections are reported, and code that continued after the last answers has
    // sent its requests.
    await new Promise((resolve) => setImmediate(resolve));
    return Promise.race([failed, result]);
  }

  /**
   * Loads modules for the present call, which has the time and the random numbers of the deploy meanwhile.
   *
   * @param {{ now: number, seed: number }} deploy
   * @param {() => Promise<T>} load
   * @returns {Promise<T>}
   * @template T
   */
  async load({ now, seed }, load) {
    const call = /** @type {Call} */ (this.current());
    call.loading = { now, random: makeRandom(seed) };
    try {
      return await load();
    } finally {
      call.loading = null;
    }
  }

  /**
   * Ends the present call, even if its code catches the error.
   *
   * @param {string} message
   * @returns {never}
   */
  stop(message) {
    const error = new StopError(message);
    this.current()?.fail(error);
    throw error;
  }

  /** Ends the present call, because a promise of it was rejected and no code handles this. */
  rejected(error) {
    this.current()?.fail(error);
  }

  /** Returns the number of answers that a call has received; undefined if there is no such call. */
  heard(id) {
    return this.#underWay.get(id)?.heard;
  }

  /** Returns the numbers of rows that a call has taken and that were not yet sent to the backend. */
  taken(id) {
    return this.#underWay.get(id)?.streams.takeCounts() ?? [];
  }

  /** Ends a call, because the backend has its outcome or does not need it any more. */
  end(id) {
    const call = this.#underWay.get(id);
    if (call) call.over = true;
    this.#underWay.delete(id);
    for (const [timer, { call: owner }] of this.#timers)
      if (owner === call) this.#timers.delete(timer);
  }

  /** Sends a request of the present call to the backend, and returns its answer; both are JSON. */
  ask(op, args) {
    const call = this.current();
    if (!call) return Promise.reject(new Error(`${op} was asked for outside of a function.`));
    const id = this.#next++;
    const taken = call.streams.takeCounts();
    if (mayWrite(op)) call.streams.drop();
    this.send({ ask: id, exec: call.id, op, args, ...(taken.length > 0 ? { taken } : {}) });
    const waiter = isAwaited(op) ? call : null;
    return new Promise((resolve, reject) => this.#answers.set(id, { waiter, resolve, reject }));
  }

  /** Passes the backend's answer to the code that waits for it. */
  answered({ answer: id, ok, error }) {
    const { waiter, resolve, reject } = this.#answers.get(id);
    this.#answers.delete(id);
    if (waiter) waiter.heard += 1;
    if (error === undefined) return resolve(ok);
    const { message, ...data } = error;
    return reject(Object.assign(new Error(message), data));
  }

  /** Sets a timer on the deployment's clock, and returns its id. */
  arm(call, { run, ms, repeats }) {
    const id = this.#next++;
    if (!call || call.over) return id;
    this.#timers.set(id, { call, run, repeats });
    this.send({ timer: id, exec: call.id, ms, repeats });
    return id;
  }

  disarm(id) {
    const timer = this.#timers.get(id);
    if (!timer) return;
    this.#timers.delete(id);
    this.send({ clear: id, exec: timer.call.id });
  }

  /** Runs the function of a timer that is due. */
  fire(id) {
    const timer = this.#timers.get(id);
    if (!timer) return;
    if (!timer.repeats) this.#timers.delete(id);
    try {
      this.#running.run(timer.call, timer.run);
    } catch (error) {
      timer.call.fail(error);
    }
  }

  /** Returns the global object `Convex`, through which Convex's library calls the backend. */
  syscalls() {
    return Object.freeze({
      syscall: (op, json) => {
        const args = parseJson(json, WRONG_ARGUMENTS);
        return JSON.stringify(this.#now(op.replace(/^1\.0\//, ""), args));
      },
      asyncSyscall: (op, json) => {
        const name = op.replace(/^1\.0\//, "");
        return name === "queryStreamNext" ? this.#nextRow(json) : this.ask(name, json);
      },
      jsSyscall: (op, args) => this.#js(op, args),
    });
  }

  async #nextRow(json) {
    const call = this.current();
    if (!call) throw new Error("queryStreamNext was asked for outside of a function.");
    const ask = (args) => this.ask("queryStreamNext", JSON.stringify(args));
    return call.streams.next(JSON.parse(json).queryId, ask);
  }

  /** Answers an operation whose answer the library needs at once, without waiting for the backend. */
  #now(op, args) {
    const call = this.current();
    if (!call) throw new Error(`${op} was asked for outside of a function.`);
    checkAllowedAtOnce(op, call.kind);
    switch (op) {
      case "queryStream": {
        // Faults of the query are reported with its first document.
        const queryId = this.#next++;
        call.streams.open(queryId, args.query);
        return { queryId };
      }
      case "queryCleanup":
        if (call.streams.close(args.queryId)) this.ask(op, JSON.stringify(args)).catch(() => {});
        return {};
      case "db/normalizeId":
        checkTableName(args.table, "db.normalizeId");
        return { id: tableOf(args.idString) === args.table ? args.idString : null };
      default:
        // getSnapshotTs
        return convexToJson(BigInt(call.snapshot ?? 0));
    }
  }

  async #js(op, args) {
    switch (op) {
      case "storage/storeBlob": {
        const { blob, options } = args;
        if (!(blob instanceof Blob)) {
          throw new Error(
            "store() expects a Blob. If you are trying to store a Request, `await request.blob()` " +
              "will give you the correct input.",
          );
        }
        const bytes = Buffer.from(await blob.arrayBuffer()).toString("base64");
        const asked = { blob: bytes, contentType: blob.type, sha256: options?.sha256 };
        return JSON.parse(await this.ask("storageStore", JSON.stringify(asked)));
      }
      case "storage/getBlob": {
        const found = JSON.parse(
          await this.ask("storageGet", JSON.stringify({ storageId: args.storageId })),
        );
        return (
          found && new Blob([Buffer.from(found.blob, "base64")], { type: found.contentType ?? "" })
        );
      }
      default:
        throw new Error(`${op} is not supported`);
    }
  }
}

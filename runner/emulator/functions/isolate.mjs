// The backend's side of the process that runs model code; inside/main.mjs is the other side.
//
// Only text comes from that process, and the model's code may have written it. So each message is checked
// here, and a wrong message is a failure of the function that was called.

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { createServer } from "node:net";

import { here } from "./contexts.mjs";
import { current } from "./execution.mjs";
import { Link } from "../link.mjs";
import { ENDED, isAwaited } from "./operations.mjs";
import { text } from "../checked_values.mjs";

const TRANSFER = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "transfer-encoding",
  "trailer",
  "upgrade",
]);
const MOST_LINES = 256;
/** The most characters of a logged line; honest lines are shorter, see inside/console.mjs. */
const LONGEST_LINE = 33_000;
/** The number of seeds for the random numbers that modules draw while they are loaded. */
const SEEDS = 2 ** 32;
/** The error of a call that a reset ends. */
const RESET = "The deployment was reset while this function ran.";

/** An error that model code threw, or the end of its call: message, stack, and a ConvexError's data as text. */
export class Thrown extends Error {
  /** @param {{ words: unknown, stack: unknown, data?: unknown, isStop?: unknown }} told */
  constructor({ words, stack, data, isStop }) {
    super(text(words).toWellFormed());
    /** The message as callers see it. */
    this.shown = isStop === true ? this.message : `Uncaught ${this.message}`;
    this.frames = text(stack);
    this.data = data === undefined ? undefined : text(data);
  }
}

/**
 * A call that has not ended. inside runs a function in the call's context; open are its requests without an
 * answer; answered is the number of its requests that have one.
 *
 * @typedef {{ execution: import("./execution.mjs").Execution, inside: Function, answered: number,
 *   open: Set<Promise<void>> }} Caller
 */

export class Isolate {
  #link;
  #backend;
  #next = 1;
  #waiting = new Map();
  /** @type {Map<number, Caller>} */
  #running = new Map();
  #bodies = new Map();
  #asked = 0;
  #listening = [];
  /** True if no model code has run since the process was renewed. */
  #isFresh = false;

  #server;
  #project;
  /** @type {(() => void) | null} is called at the end of the process instead of `gone` during a renewal */
  #onClose = null;

  /**
   * Waits until the process connects to a socket.
   *
   * @param {string} path
   * @param {{ answer: (op: string, args: string, taken: [number, number][]) => Promise<string>,
   *   taken: (taken: [number, number][]) => void,
   *   arm: (execution: object, timer: object) => void,
   *   logged: (execution: { kind: string, path: string }, line: string) => void,
   *   gone: (why: string) => void }} backend answer answers requests of functions, in the context of their
   *   call; taken counts the rows that they took; arm sets their timers; logged is called with each line that
   *   they log, and gone when the process has ended
   * @returns {Promise<Isolate>}
   */
  static async at(path, backend) {
    const server = createServer().listen(path);
    const [socket] = await once(server, "connection");
    return new Isolate(server, socket, backend);
  }

  constructor(server, socket, backend) {
    this.#server = server;
    this.#backend = backend;
    this.#connect(socket);
  }

  #connect(socket) {
    this.#link = new Link(
      socket,
      (message) => this.#hear(message),
      (why) => this.#closed(why),
    );
    // There is only one such process, so a further connection comes from model code in it.
    this.#server.on("connection", refuse);
  }

  #closed(why) {
    if (this.#onClose) this.#onClose();
    else this.#backend.gone(why);
  }

  /** True if a function waits for an answer of the backend, and not only for a function that it called. */
  get isAsking() {
    let called = 0;
    for (const { execution } of this.#running.values())
      called += execution === execution.root ? 0 : 1;
    return this.#asked > called;
  }

  // --- Telling -----------------------------------------------------------------------------------

  /**
   * Sends the bundles of a project to the process.
   *
   * @param {string} dir the project
   * @param {{ isolate: { code: string }, node: { code: string } | null }} bundles
   * @param {number} [now] the time of the deploy, which modules see while they are loaded, also later
   * @param {boolean} [changes] true if other bundles may follow
   */
  start(dir, { isolate, node }, now = Date.now(), changes = false) {
    const deploy = { now: Math.floor(now), seed: randomInt(SEEDS) };
    const code = { isolate: isolate.code, node: node?.code ?? null };
    this.#project = { act: "start", dir, ...code, deploy, changes };
    return this.#act(this.#project);
  }

  /**
   * Ends all calls in the process, and removes all effects of model code: if the process finds that its state
   * has changed, it starts again.
   */
  async renew() {
    if (this.#isFresh) return;
    this.#isFresh = true;
    await this.#renewProcess();
  }

  async #renewProcess() {
    // The new process may connect before the end of the old process is noticed.
    const { promise: arrived, resolve } = Promise.withResolvers();
    /** @type {import("node:net").Socket[]} */
    const arrivals = [];
    const arrive = (socket) => {
      arrivals.push(socket.on("error", () => {}));
      resolve(socket);
    };
    this.#server.off("connection", refuse);
    this.#server.on("connection", arrive);
    const closed = new Promise((close) => (this.#onClose = () => close(true)));
    const goesOn = this.#act({ act: "renew" }).then(() => false);
    const isNew = await Promise.race([closed, goesOn]);
    this.#onClose = null;
    if (isNew) {
      for (const { reject } of this.#waiting.values()) reject(new Error(RESET));
      for (const body of this.#bodies.values()) body.end(RESET);
      this.#waiting.clear();
      this.#bodies.clear();
      this.#connect(await arrived);
    } else {
      this.#server.on("connection", refuse);
    }
    this.#server.off("connection", arrive);
    for (const socket of arrivals.slice(isNew ? 1 : 0)) socket.destroy();
    if (isNew) await this.#act(this.#project);
  }

  /** Sends the state of the clock, or the variables of the app. */
  set(state) {
    this.#link.sendLater(state);
  }

  fire(timer) {
    this.#isFresh = false;
    this.#link.send({ fire: timer });
  }

  /** Waits until the process has received all messages so far; returns true if it sent none meanwhile. */
  async turn() {
    const { heard } = this.#link;
    await this.#act({ turn: true });
    return this.#link.heard === heard + 1;
  }

  /**
   * Waits for a message of the process, at most `ms` milliseconds.
   *
   * @param {number} ms
   * @returns {Promise<void>}
   */
  heard(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#listening.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  // --- Calling -----------------------------------------------------------------------------------

  /** Returns a description of a module's exports. */
  load({ name, node, entry }) {
    return this.#during(current(), { act: "load", name, node, entry });
  }

  /**
   * Calls a function with arguments as text; its result is text.
   *
   * @param {import("./execution.mjs").Execution} execution
   * @param {import("../project/project.mjs").FunctionSpec} spec
   * @param {string} args
   * @param {{ limits: { computingMs: number }, env: Record<string, string> | undefined,
   *   snapshot: bigint | null }} conditions env has the function's variables if they are not the app's;
   *   snapshot is the time of the data that a transaction sees
   */
  async call(execution, { entry, name, kind, node }, args, { limits, env, snapshot }) {
    const { requestId, now } = execution;
    const { computingMs } = limits;
    const about = { requestId, now, computingMs, env, snapshot: String(snapshot) };
    return text(
      await this.#during(execution, { act: "call", entry, name, kind, node, args, ...about }),
    );
  }

  /**
   * Calls the HTTP action at an address.
   *
   * The action runs until its body has ended, or is not read any more.
   *
   * @returns {Promise<{ status: number, headers: [string, string][], body: Body } | null>}
   */
  async http(execution, request) {
    const body = new Body();
    const id = this.#next;
    this.#bodies.set(id, body);
    this.#begin(execution);
    try {
      const { ok } = await this.#act({ act: "http", ...request, exec: execution.id });
      const response = ok && { ...responseOf(ok), body };
      if (response) void body.over.then(() => this.#end(execution));
      else this.#end(execution);
      return response;
    } catch (error) {
      this.#end(execution);
      throw error;
    }
  }

  /** @returns {Caller} */
  #begin(execution) {
    this.#isFresh = false;
    const caller = { execution, inside: here(), answered: 0, open: new Set() };
    this.#running.set(execution.id, caller);
    return caller;
  }

  #end(execution) {
    this.#running.delete(execution.id);
    this.#link.sendLater({ end: execution.id });
  }

  async #during(execution, message) {
    const caller = this.#begin(execution);
    try {
      const { ok, heard, taken } = await this.#act({ ...message, exec: execution.id });
      if (execution.isTransaction) {
        caller.inside(() => this.#backend.taken(countsOf(taken)));
        await this.#completed(caller, Number(heard) || 0);
      }
      return ok;
    } finally {
      this.#end(execution);
      // Requests of a failed transaction must be done before its writes are reverted.
      if (execution.isTransaction) await Promise.all(caller.open);
    }
  }

  /**
   * Waits for requests that a transaction did not await; they belong to the transaction.
   *
   * @param {Caller} caller
   * @param {number} heard the number of answers that the call had received when it ended; after further
   *   answers its code may continue and send more requests
   */
  async #completed(caller, heard) {
    while (caller.open.size > 0 || heard < caller.answered) {
      await Promise.all(caller.open);
      heard = caller.answered;
      await this.turn();
    }
  }

  #act(message) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#link.send({ ...message, id });
    });
  }

  // --- Hearing -----------------------------------------------------------------------------------

  #hear(message) {
    for (const listener of this.#listening.splice(0)) listener();
    if ("ask" in message) this.#asks(message);
    else if ("did" in message) this.#did(message);
    else if ("log" in message)
      this.#log(this.#running.get(message.log)?.execution, text(message.line));
    else if ("timer" in message) this.#arm(this.#running.get(message.exec)?.execution, message);
    else if ("clear" in message) this.#running.get(message.exec)?.execution.disarm(message.clear);
    else if ("part" in message) this.#part(message);
    else throw new Error("it says nothing that is known");
  }

  #asks(message) {
    const caller = this.#running.get(message.exec);
    const answered = this.#answer(caller, message);
    if (!caller || !isAwaited(message.op)) return;
    const { open } = caller;
    open.add(answered);
    void answered.then(() => {
      open.delete(answered);
      caller.answered += 1;
    });
  }

  /** @param {Caller | undefined} caller */
  async #answer(caller, { ask: id, op, args, taken }) {
    this.#asked += 1;
    try {
      if (!caller) throw new Error(ENDED);
      const ok = await caller.inside(() =>
        this.#backend.answer(text(op), text(args), countsOf(taken)),
      );
      this.#link.send({ answer: id, ok });
    } catch (error) {
      this.#link.send({ answer: id, error: { message: String(error.message), data: error.data } });
    } finally {
      this.#asked -= 1;
    }
  }

  #arm(execution, { timer, ms, repeats }) {
    if (execution)
      this.#backend.arm(execution, { timer, ms: Number(ms) || 0, repeats: Boolean(repeats) });
  }

  #did({ did: id, ok, error, heard, taken }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) this.#bodies.delete(id);
    if (error) waiting?.reject(new Thrown(error));
    else waiting?.resolve({ ok, heard, taken });
  }

  #part({ part: id, bytes, error }) {
    const body = this.#bodies.get(id);
    if (bytes !== undefined) {
      body?.add(Buffer.from(text(bytes), "base64"));
      return;
    }
    this.#bodies.delete(id);
    body?.end(error);
  }

  #log(execution, line) {
    const lines = execution?.logLines;
    if (!lines || lines.length > MOST_LINES) return;
    const tooMany = `[ERROR] Log overflow (maximum ${MOST_LINES}). Remaining log lines omitted.`;
    const logged =
      lines.length === MOST_LINES ? tooMany : line.slice(0, LONGEST_LINE).toWellFormed();
    lines.push(logged);
    this.#backend.logged(execution, logged);
  }
}

function refuse(socket) {
  socket.destroy();
}

/** The body of a response, which arrives in pieces. */
export class Body {
  #parts = [];
  #ended = false;
  /** @type {Error | null} */
  #error = null;
  /** @type {(value?: unknown) => void} */
  #wake = () => {};
  /** @type {PromiseWithResolvers<void>} */
  #over = Promise.withResolvers();
  /** Resolves when the body has ended, or is not read any more. */
  over = this.#over.promise;

  add(bytes) {
    this.#parts.push(bytes);
    this.#wake();
  }

  end(error) {
    this.#ended = true;
    if (error !== undefined) this.#error = new Error(String(error));
    this.#over.resolve();
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    try {
      for (;;) {
        yield* this.#parts.splice(0);
        if (this.#error) throw this.#error;
        if (this.#ended) return;
        if (this.#parts.length === 0) await new Promise((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.#over.resolve();
    }
  }
}

function responseOf({ status, headers }) {
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw wrong(`the status ${status}`);
  try {
    for (const [name, value] of headers) {
      validateHeaderName(text(name));
      validateHeaderValue(name, text(value));
    }
  } catch (error) {
    throw wrong(`such headers: ${error.message}`);
  }
  // The server sets the headers about how the answer is sent.
  return { status, headers: headers.filter(([name]) => !TRANSFER.has(name.toLowerCase())) };
}

function wrong(what) {
  return new Thrown({ words: `TypeError: a Response cannot have ${what}`, stack: "" });
}

/**
 * Returns the checked numbers of rows that a call has taken, by query.
 *
 * @returns {[number, number][]}
 */
function countsOf(taken = []) {
  const isCount = (pair) => Array.isArray(pair) && pair.every((n) => Number.isInteger(n) && n >= 0);
  if (Array.isArray(taken) && taken.every(isCount)) return taken;
  throw new TypeError("what should count rows does not");
}

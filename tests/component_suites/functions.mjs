// Runs the functions of a test in its own process, in the place of inside/main.mjs: their modules are
// those that vitest has loaded, so that closures, mocks and fake timers of the test reach them.

import { AsyncLocalStorage } from "node:async_hooks";
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers";

import { Calls } from "../../runner/emulator/inside/calls.mjs";
import { describeModule, describeThrown } from "../../runner/emulator/inside/describe.mjs";
import { Link } from "../../runner/emulator/link.mjs";

const { queueMicrotask } = globalThis;
/** What Convex's library asks, for the function under way. */
const asked = new AsyncLocalStorage();
const outside = AsyncLocalStorage.snapshot();

/** Makes two sockets of which each hears what the other one writes, outside of all that is under way. */
export function makeSockets() {
  const sockets = [new EventEmitter(), new EventEmitter()];
  for (const [place, socket] of sockets.entries()) {
    const other = sockets[1 - place];
    const write = (text) => {
      const bytes = Buffer.from(text);
      queueMicrotask(() => outside(() => other.emit("data", bytes)));
    };
    Object.assign(socket, { write, destroy: () => {} });
  }
  return /** @type {any} */ (sockets);
}

export class Functions {
  #link;
  #calls;
  #syscalls;
  #import;

  /**
   * @param {import("node:net").Socket} socket leads to the backend
   * @param {(entry: string) => Promise<Record<string, any>>} importModule
   */
  constructor(socket, importModule) {
    this.#import = importModule;
    this.#link = new Link(
      socket,
      (message) => this.#hear(message),
      () => {},
    );
    this.#calls = new Calls((message) => this.#link.send(message));
    this.#syscalls = this.#calls.syscalls();
    Object.defineProperty(globalThis, "Convex", {
      configurable: true,
      get: () => asked.getStore(),
    });
  }

  #hear(message) {
    const [what] = Object.keys(message);
    switch (what) {
      case "answer":
        return this.#calls.answered(message);
      case "end":
        return this.#calls.end(message.end);
      case "turn":
        return setImmediate(() => this.#link.send({ did: message.id, ok: null }));
      case "clock":
      case "env":
        return undefined; // They are the test's own.
      default:
        return void this.#perform(message);
    }
  }

  async #perform(message) {
    const { id, act, exec, kind = act === "load" ? "loading" : "http" } = message;
    try {
      const run = () => asked.run(this.#syscalls, () => this.#do(message));
      const { ok, body } = await this.#calls.run(message, kind, run);
      const taken = this.#calls.taken(exec);
      this.#link.send({ did: id, ok, heard: this.#calls.heard(exec), taken });
      if (act === "http") await this.#pass(id, body ?? []);
    } catch (error) {
      this.#link.send({ did: id, error: describeThrown(error) });
    }
  }

  /** @returns {Promise<{ ok: any, body?: any }>} what a call returns, and the body of an HTTP action */
  async #do(message) {
    const { act, name, entry, kind, args, requestId } = message;
    const exports = await this.#import(entry);
    // A mock of vitest's throws where it is asked for what it has not.
    if (act === "load") return { ok: describeModule(name, { ...exports }) };
    if (act === "http") return answer(exports.default, message);
    if (kind === "query") return { ok: await exports[name].invokeQuery(args) };
    if (kind === "mutation") return { ok: await exports[name].invokeMutation(args) };
    return { ok: await exports[name].invokeAction(requestId, args) };
  }

  async #pass(id, body) {
    try {
      for await (const chunk of body)
        this.#link.send({ part: id, bytes: Buffer.from(chunk).toString("base64") });
      this.#link.send({ part: id });
    } catch (error) {
      this.#link.send({ part: id, error: describeThrown(error).words });
    }
  }
}

async function answer(router, { url, method, headers, body, path }) {
  const found = router.lookup(path, method);
  if (!found) return { ok: null };
  const content = ["GET", "HEAD"].includes(method) ? {} : { body: Buffer.from(body, "base64") };
  const request = new Request(url, { method, headers, ...content });
  const response = await found[0].invokeHttpAction(request);
  const told = { status: response.status, headers: [...response.headers] };
  return { ok: told, body: response.body ?? [] };
}

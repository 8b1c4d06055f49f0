// A connection of the sync protocol.
//
// A loop sends everything that changes the client's state, in this order: a mutation runs, its response is
// sent, then a transition. So no transition shows a mutation of this client before its response, and each
// transition after a response has the response's timestamp or a later one. Actions run outside of this loop.

import { callFunction } from "../api/calls.mjs";
import { NOBODY } from "../functions/execution.mjs";
import { decodeTimestamp, encodeTimestamp } from "./commit_clock.mjs";
import { QuerySet } from "./subscriptions.mjs";

const PING_MS = 15_000;
/** The longest delay of a transition by waiting mutations. */
const TRANSITION_DELAY_MS = 50;
/** The most times that queries are run again because a write came between them. */
const SNAPSHOT_TRIES = 8;
const NORMAL_CLOSE = 1000;
const POLICY_VIOLATION = 1008;

export class SyncSession {
  #socket;
  #shared;
  #sessionId = null;
  #identity = NOBODY;
  #queries = new QuerySet();
  /** The version that was last sent to the client, at which the next transition begins. */
  #version = { querySet: 0, identity: 0, ts: 0n };
  /** The version that the client last requested. */
  #asked = { querySet: 0, identity: 0 };
  #mutations = [];
  /** @type {number | null} */
  #dirtySince = null;
  #working = false;
  #receiving = Promise.resolve();
  #lastSent = performance.now();

  constructor(socket, shared) {
    this.#socket = socket;
    this.#shared = shared;
    const ping = setInterval(() => this.#keepAlive(), PING_MS);
    socket.on("close", () => clearInterval(ping));
    socket.on("error", () => socket.terminate());
    // Messages are handled one after the other, so that a mutation after an Authenticate message has that caller.
    socket.on("message", (data) => {
      this.#receiving = this.#receiving.then(() => this.#receive(data));
    });
  }

  /** Runs the queries again soon, because their results may have changed. */
  invalidate() {
    this.#dirtySince ??= performance.now();
    void this.#work();
  }

  async #receive(data) {
    if (!this.#isOpen) return;
    try {
      await this.#handle(JSON.parse(data.toString()));
    } catch (error) {
      this.#send({ type: "FatalError", error: error.message });
      this.#socket.close(POLICY_VIOLATION);
    }
  }

  async #handle(message) {
    if (message.type !== "Connect" && this.#sessionId === null) {
      throw new Error(`${message.type} came before Connect`);
    }
    switch (message.type) {
      case "Connect":
        return this.#connect(message);
      case "ModifyQuerySet":
        return this.#modifyQuerySet(message);
      case "Authenticate":
        return this.#authenticate(message);
      case "Mutation":
        return this.#enqueue(message);
      case "Action":
        return void this.#act(message);
      case "Event":
        return undefined; // Measurements for Convex's own operators.
      default:
        throw new Error(`Unknown message: ${message.type}`);
    }
  }

  #connect(message) {
    this.#sessionId = message.sessionId;
    if (message.maxObservedTimestamp) {
      this.#shared.clock.catchUp(decodeTimestamp(message.maxObservedTimestamp));
    }
    this.#identity = NOBODY;
  }

  #modifyQuerySet({ baseVersion, newVersion, modifications }) {
    this.#expectVersion("querySet", baseVersion);
    this.#queries.modify(modifications);
    this.#asked.querySet = newVersion;
    this.invalidate();
  }

  #authenticate({ tokenType, value, impersonating, baseVersion }) {
    this.#expectVersion("identity", baseVersion);
    try {
      const { identities } = this.#shared.deployment;
      this.#identity = identities.identify({ tokenType, value, impersonating });
    } catch (error) {
      this.#send({
        type: "AuthError",
        error: error.message,
        baseVersion,
        authUpdateAttempted: true,
      });
      this.#socket.close(NORMAL_CLOSE);
      return;
    }
    this.#asked.identity = baseVersion + 1;
    this.invalidate();
  }

  #expectVersion(part, baseVersion) {
    if (baseVersion === this.#asked[part]) return;
    throw new Error(`Base version ${baseVersion} of ${part} is not ${this.#asked[part]}`);
  }

  #enqueue(message) {
    this.#mutations.push({ requestId: message.requestId, call: this.#callOf("mutation", message) });
    void this.#work();
  }

  async #act(message) {
    const outcome = await this.#callOf("action", message)();
    this.#send({ type: "ActionResponse", requestId: message.requestId, ...response(outcome) });
  }

  /** Returns a call of the function that a message names, by the present caller. */
  #callOf(kind, { udfPath, args, componentPath }) {
    const [passed, identity] = [args[0] ?? {}, this.#identity];
    const { deployment } = this.#shared;
    return () => callFunction(deployment, kind, udfPath, passed, identity, componentPath);
  }

  async #work() {
    if (this.#working) return;
    this.#working = true;
    try {
      while (this.#isOpen && (this.#mutations.length > 0 || this.#dirtySince !== null)) {
        if (this.#mutations.length > 0 && !this.#isOverdue) await this.#mutate();
        else await this.#transition();
      }
    } catch (error) {
      // The backend failed, and not a function: the close code makes the client connect again.
      this.#socket.close(1011, `InternalServerError: ${error.message}`.slice(0, 120));
    } finally {
      this.#working = false;
    }
  }

  get #isOpen() {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get #isOverdue() {
    return this.#dirtySince !== null && performance.now() - this.#dirtySince > TRANSITION_DELAY_MS;
  }

  async #mutate() {
    const { requestId, call } = this.#mutations.shift();
    const { clock, ledger } = this.#shared;
    const answer = await ledger.once(this.#sessionId, requestId, async () => {
      const outcome = await call();
      // A mutation that wrote nothing also gets a new timestamp: the client waits for a later transition.
      const ts = outcome.success ? encodeTimestamp(clock.advance()) : undefined;
      return { ...response(outcome), ts };
    });
    this.#send({ type: "MutationResponse", requestId, ...answer });
    this.#dirtySince ??= performance.now();
  }

  async #transition() {
    this.#dirtySince = null;
    const end = { ...this.#asked, ts: 0n };
    const { results, ts } = await this.#snapshot();
    // Requests that came meanwhile are answered by the next transition.
    end.ts = ts;
    const modifications = this.#queries.changes(results);
    this.#send({
      type: "Transition",
      startVersion: encodeVersion(this.#version),
      endVersion: encodeVersion(end),
      modifications,
    });
    this.#version = end;
  }

  async #snapshot() {
    const { deployment, clock } = this.#shared;
    const identity = this.#identity;
    const run = (path, args, component) =>
      callFunction(deployment, "query", path, args, identity, component);
    for (let attempt = 1; ; attempt++) {
      const ts = clock.latest;
      const results = await this.#queries.run(run);
      // During very many writes some results are newer than ts; the next transition corrects this.
      if (clock.latest === ts || attempt === SNAPSHOT_TRIES) return { results, ts };
    }
  }

  #keepAlive() {
    if (performance.now() - this.#lastSent >= PING_MS - 1000) this.#send({ type: "Ping" });
  }

  #send(message) {
    if (!this.#isOpen) return;
    this.#lastSent = performance.now();
    this.#socket.send(JSON.stringify(message));
  }
}

/** @param {any} outcome */
function response({ success, value, errorMessage, errorData, logLines }) {
  return { success, result: success ? value : errorMessage, errorData, logLines };
}

function encodeVersion({ querySet, identity, ts }) {
  return { querySet, identity, ts: encodeTimestamp(ts) };
}

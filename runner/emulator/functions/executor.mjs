// The executor, which runs functions of a project and returns the same outcomes as the real backend.

import { convexToJson, jsonToConvex } from "convex/values";

import { outside } from "./contexts.mjs";
import { callablePath } from "./crons.mjs";
import { withCommitTime } from "../data/database.mjs";
import { FunctionError, HttpActionError, RequestError } from "../errors.mjs";
import { Execution, NOBODY, current } from "./execution.mjs";
import { Thrown } from "./isolate.mjs";
import {
  DEEPEST_CALL,
  checkDepth,
  checkPassed,
  checkPassedToNode,
  checkValue,
  newTransaction,
} from "./limits.mjs";
import { KINDS } from "./operations.mjs";
import { parseJson } from "../json_text.mjs";
import { isPlainObject, mismatch } from "../project/validators.mjs";

// The message is ours, because the real backend's is not known.
const TOO_DEEP = `Functions may not call one another more than ${DEEPEST_CALL} levels deep in a transaction.`;

/** The path of calls of the backend itself. */
const SYSTEM = "_system";

/**
 * The outcome of a function call. Values are in Convex's JSON encoding.
 *
 * @typedef {{ success: true, value: unknown, logLines: string[] }
 *   | { success: false, errorMessage: string, errorData?: unknown, logLines: string[] }} Outcome
 * @typedef {import("../project/components.mjs").Target} Target
 */

export class Executor {
  #parts;
  #listeners = new Set();
  /** The outermost executions that have not ended. */
  #running = new Set();
  /** The jobs that have begun and not ended. */
  #courses = new Set();

  /**
   * @param {{ components: import("../project/components.mjs").Components, isolate: import("./isolate.mjs").Isolate,
   *   places: () => import("../project/places.mjs").Places,
   *   database: import("../data/database.mjs").Database, clock: import("../clock.mjs").Clock,
   *   limits: import("./limits.mjs").Limits, footprints?: import("./footprints.mjs").Footprints,
   *   afterCommit: (transaction: import("./execution.mjs").Transaction) => void }} parts
   */
  constructor(parts) {
    this.#parts = parts;
  }

  // --- From outside ------------------------------------------------------------------------------

  /**
   * Calls a function of the app or of a component. Only callers with the key may call internal functions.
   *
   * @param {"query" | "mutation" | "action"} kind
   * @param {bigint} [time] the time of the data that a query sees; by default it sees the newest
   * @returns {Promise<Outcome>}
   */
  call(kind, path, args, identity, component = "", time = undefined) {
    return this.#outcome({ kind, path, identity, component, time }, (execution) => {
      const mayBeInternal = identity.kind === "admin";
      const spec = this.#find(kind, { component, path: callablePath(path) }, mayBeInternal);
      return this.#checkedRun(spec, args, execution);
    });
  }

  /** Runs a call of the backend itself, and returns its outcome in the form of a function's. */
  asOutcome(call) {
    return this.#outcome({ kind: "action", path: SYSTEM, identity: { kind: "admin" } }, call);
  }

  /** Calls `listener` after each commit. */
  onWrite(listener) {
    this.#listeners.add(listener);
  }

  /** Calls all listeners, because data has changed. */
  notify() {
    for (const listener of this.#listeners) listener();
  }

  /** Returns the kind of a function; undefined if there is none, or it is internal and the caller lacks the key. */
  kindOf(path, component, identity) {
    const spec = this.#specOf({ component, path: callablePath(path) });
    return spec?.internal && identity.kind !== "admin" ? undefined : spec?.kind;
  }

  /**
   * Calls a function of any kind for the backend itself: for a scheduled job or a cron job.
   *
   * @param {Target} target
   * @param {object} args
   * @param {import("./scheduler.mjs").Job} [job]
   */
  internal({ component, path }, args, job) {
    const target = { component, path };
    const kind = this.#specOf(target)?.kind ?? "action";
    return this.#outcome({ ...target, kind, identity: NOBODY, job }, (execution) =>
      this.#checkedRun(this.#find(kind, target), args, execution),
    );
  }

  /**
   * Runs an HTTP action.
   *
   * @param {{ url: string, method: string, headers: [string, string][], body: string }} request body is
   *   base64
   * @param {object} caller
   * @param {{ component: string, entry: string, path: string }} route
   * @returns the result of Isolate.http; null if no route fits
   * @throws {HttpActionError} if the action fails before its answer begins
   */
  async http(request, caller, { component, ...route }) {
    const identity = component === "" ? caller : NOBODY;
    const execution = new Execution({ kind: "http", path: "http", identity, component });
    const env = this.#parts.components.envOf(component);
    this.#running.add(execution);
    /** @type {Awaited<ReturnType<import("./isolate.mjs").Isolate["http"]>>} */
    let response = null;
    try {
      response = await execution.run(() =>
        this.#parts.isolate.http(execution, { ...request, ...route, env }),
      );
      return response;
    } catch (error) {
      throw new HttpActionError(this.#describeHttp(error, execution.requestId));
    } finally {
      const over = response?.body.over ?? Promise.resolve();
      void over.then(() => this.#end(execution));
    }
  }

  /** Returns the answer for an error of an HTTP action, as in crates/application/src/redaction.rs. */
  #describeHttp(error, requestId) {
    const trace = this.#words(error);
    const [message] = trace.split("\n    at ");
    const data = dataOf(error);
    const code = `[Request ID: ${requestId}] Server Error: ${message}`;
    return { code, trace, ...(data === undefined ? {} : { data }) };
  }

  /**
   * Returns "idle" if no function runs, "asleep" if all that run wait for timers, else "awake".
   *
   * @returns {"idle" | "asleep" | "awake"}
   */
  busy() {
    let asleep = 0;
    for (const { timers } of this.#running) asleep += timers.size > 0 ? 1 : 0;
    if (asleep < this.#running.size) return "awake";
    if (this.#parts.isolate.isAsking) return "awake";
    // A job has no execution between its steps.
    if (this.#courses.size > asleep) return "awake";
    return asleep === 0 ? "idle" : "asleep";
  }

  /** Runs `call`, a whole job, without any context; the deployment counts as busy until it has ended. */
  async job(call) {
    const courses = this.#courses;
    courses.add(call);
    try {
      await outside(call);
    } finally {
      courses.delete(call);
    }
  }

  /** Ends all executions; later results of their functions are ignored. */
  abandon() {
    for (const execution of this.#running) execution.end();
    this.#running = new Set();
    this.#courses = new Set();
  }

  // --- From within -------------------------------------------------------------------------------

  /**
   * Runs `call` of the backend itself in a transaction, outside of functions or for an action.
   *
   * @param {"query" | "mutation"} kind
   * @param {string} [component] the component whose tables it sees; by default that of the running function
   */
  transact(kind, call, component) {
    const parent = current();
    const identity = parent?.identity ?? NOBODY;
    const transaction = newTransaction();
    const path = SYSTEM;
    const execution = new Execution({ kind, path, identity, parent, transaction, component });
    return this.#inTransaction(execution, call);
  }

  /**
   * Calls a function from an action; the value is in Convex's JSON.
   *
   * @param {"query" | "mutation" | "action"} kind
   * @param {Target} target
   */
  callFromAction(kind, target, args) {
    return this.#rethrown(() => {
      const parent = current();
      // Components do not get the identity of an action's caller.
      const identity = target.component === "" ? parent.identity : NOBODY;
      const execution = this.#execution({ ...target, kind, identity, parent });
      return this.#checkedRun(this.#find(kind, target), args, execution);
    });
  }

  /**
   * Calls a query or mutation from another query or mutation, in the same transaction.
   *
   * @param {"query" | "mutation"} kind
   * @param {Target} target
   */
  callFromTransaction(kind, target, args, options) {
    return this.#rethrown(() => {
      const parent = current();
      const { identity, transaction, now } = parent;
      const execution = new Execution({ ...target, kind, identity, parent, transaction, now });
      const spec = this.#find(kind, target);
      checkArguments(spec, args);
      if (execution.depth > DEEPEST_CALL) throw new FunctionError(TOO_DEEP);
      const { udfType, transactionLimits } = options;
      const call = async () => checkReturned(spec, await this.#invoke(spec, args, execution));
      const nested = () => this.#parts.database.nested(udfType, () => execution.run(call));
      const run = () => withoutFailed(transaction, nested);
      return transaction.usage.nested(transactionLimits, run);
    });
  }

  /** Converts an error of `call` to the error that the calling function gets: a message, and a ConvexError's data. */
  async #rethrown(call) {
    try {
      return await call();
    } catch (error) {
      const data = dataOf(error);
      const shown = new Error(this.#words(error));
      throw data === undefined ? shown : Object.assign(shown, { data });
    }
  }

  // --- Running -----------------------------------------------------------------------------------

  /** @returns {Promise<Outcome>} */
  async #outcome(what, run) {
    const execution = this.#execution(what);
    const { logLines, requestId } = execution;
    try {
      const value = await this.#watch(execution, () => run(execution));
      return { success: true, value, logLines };
    } catch (error) {
      if (error instanceof RequestError) throw error;
      const errorMessage = `[Request ID: ${requestId}] Server Error\n${this.#words(error)}\n`;
      return { success: false, errorMessage, errorData: dataOf(error), logLines };
    }
  }

  /**
   * @param {{ kind: "query" | "mutation" | "action", path: string, identity: object,
   *   parent?: Execution, job?: import("./scheduler.mjs").Job, component?: string, time?: bigint }} what
   */
  #execution(what) {
    if (what.kind === "action") return new Execution(what);
    const { clock, limits } = this.#parts;
    return new Execution({ ...what, now: clock.now, transaction: newTransaction(limits) });
  }

  async #watch(execution, call) {
    this.#running.add(execution);
    try {
      return await execution.run(call);
    } finally {
      this.#end(execution);
    }
  }

  #end(execution) {
    this.#running.delete(execution);
    execution.end();
  }

  async #checkedRun(spec, args, execution) {
    checkArguments(spec, args);
    const call = async () => checkReturned(spec, await this.#invoke(spec, args, execution));
    if (spec.kind === "action") return execution.run(call);
    return this.#inTransaction(execution, call);
  }

  async #inTransaction(execution, call) {
    const { kind, transaction, root, time: seen } = execution;
    if (root.over) throw new Error("The deployment was reset while this function ran.");
    const run = () => execution.run(call);
    const onCommit = (value, { time, written }) => {
      transaction.written = written;
      if (written.length > 0) {
        this.#parts.afterCommit(transaction);
        this.notify();
      }
      return withCommitTime(value, time);
    };
    const value = await this.#parts.database.transaction(kind, run, onCommit, seen);
    if (execution.path !== SYSTEM) this.#parts.footprints?.add(execution.path, transaction);
    return value;
  }

  async #invoke(spec, args, execution) {
    const env = this.#parts.components.envOf(execution.component);
    const snapshot = execution.isTransaction ? this.#parts.database.snapshot : null;
    const conditions = { limits: this.#parts.limits, env, snapshot };
    return this.#parts.isolate.call(execution, spec, JSON.stringify([args]), conditions);
  }

  /** Returns a function; undefined if there is none. */
  #specOf({ component, path }) {
    return this.#parts.components.get(component).project.functions.get(path);
  }

  /**
   * @param {"query" | "mutation" | "action"} kind
   * @param {Target} target
   * @param {boolean} [mayBeInternal]
   */
  #find(kind, target, mayBeInternal = true) {
    const { path } = target;
    const spec = this.#specOf(target);
    if (!spec || (spec.internal && !mayBeInternal)) {
      throw new FunctionError(notFound("public function", path));
    }
    if (spec.kind !== kind) {
      throw new FunctionError(
        `Trying to execute ${spec.module}.js:${spec.name} as ${KINDS[kind]}, but it is defined as ` +
          `${KINDS[spec.kind]}.`,
      );
    }
    return spec;
  }

  #words(error) {
    if (error instanceof FunctionError) return error.message;
    if (!(error instanceof Thrown)) return `Uncaught ${error.name}: ${error.message}`;
    return [error.shown, ...this.#parts.places().frames(error.frames)].join("\n");
  }
}

/** Returns the message about a function that does not exist, or that the caller may not call. */
export function notFound(noun, path) {
  const shown = path.replace(/:default$/, "");
  return (
    `Could not find ${noun} for '${shown}'. Did you forget to run \`npx convex dev\` or ` +
    "`npx convex deploy`?"
  );
}

/** Runs a part of a transaction. If the part fails, its jobs and removed files do not follow the commit. */
async function withoutFailed({ scheduled, removedFiles }, run) {
  const counts = [scheduled.length, removedFiles.length];
  try {
    return await run();
  } catch (error) {
    [scheduled.length, removedFiles.length] = counts;
    throw error;
  }
}

function checkArguments(spec, json) {
  let args;
  try {
    parseJson(JSON.stringify(json));
  } catch {
    throw new RequestError(400, "BadConvexArgs", "Invalid arguments provided");
  }
  try {
    checkDepth(json);
    args = jsonToConvex(json);
    checkValue(args);
  } catch (error) {
    throw new FunctionError(
      `Invalid arguments for ${spec.module}.js:${spec.name}: ${error.message}`,
    );
  }
  if (!isPlainObject(args)) {
    throw new RequestError(400, "BadConvexArgs", "The arguments of a function must be one object.");
  }
  checkPassed(args, `Arguments for ${spec.module}.js:${spec.name}`);
  if (spec.node) checkPassedToNode(json);
  const problem = mismatch(spec.args, args);
  if (problem) throw new FunctionError(`ArgumentValidationError: ${problem}`);
}

/** Checks the text that a function returned, and returns its value in our form of Convex's JSON. */
function checkReturned(spec, text) {
  const what = `Function ${spec.module}.js:${spec.name} return value`;
  const failed = `Function ${spec.module}.js:${spec.name} failed. Could not parse return value as json: `;
  const value = valueReturned(text, what, failed);
  checkPassed(value, what);
  const problem = spec.returns && mismatch(spec.returns, value);
  if (problem) throw new FunctionError(`ReturnsValidationError: ${problem}`);
  return convexToJson(value);
}

/** @param {string} failed the words before a fault of the text itself */
function valueReturned(text, what, failed) {
  let json;
  try {
    json = parseJson(text, failed);
  } catch ({ message }) {
    throw new FunctionError(message);
  }
  try {
    const value = valueOf(json);
    checkValue(value);
    return value;
  } catch (error) {
    throw new FunctionError(`${what} invalid: ${error.message}`);
  }
}

/** Returns the data of a ConvexError in Convex's JSON; undefined for other errors. */
function dataOf({ data }) {
  if (data === undefined) return undefined;
  try {
    return convexToJson(valueOf(parseJson(data)));
  } catch {
    return undefined; // The data is no Convex value, so the error is no ConvexError.
  }
}

/** Reads a Convex value from the JSON of the process that runs model code. */
function valueOf(json) {
  checkDepth(json);
  return jsonToConvex(json);
}

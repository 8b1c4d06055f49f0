// The globals of functions that depend on the backend: time, timers, fetch, environment.

import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import process from "node:process";

import { checkAllowed, inTransaction } from "../functions/operations.mjs";
import { makeConsole } from "./console.mjs";
import { endNotImplemented } from "./default_runtime.mjs";
import { fetchThrough } from "./fetch.mjs";

const RealDate = globalThis.Date;

/**
 * Returns the globals that runtime.mjs gives to a bundle for a call.
 *
 * @param {{ calls: import("./calls.mjs").Calls, now: () => number, env: Record<string, string> }} parts
 *   now returns the deployment's time, in milliseconds since the epoch
 */
export function makeGlobals({ calls, now, env }) {
  const clearTimer = (id) => calls.disarm(id);
  return {
    Date: makeDate(() => Math.floor(timeOf(calls.current()) ?? now())),
    console: makeConsole(
      () => calls.current(),
      (call, line) => calls.send({ log: call.id, line }),
      now,
    ),
    process: makeProcess({ ...env }),
    fetch: async (input, init) => {
      const call = calls.current();
      if (call) checkAllowed("fetch", call.kind);
      // In the default runtime, a Request does not tell its mode of redirects.
      const ofInput = call?.node && input instanceof Request ? input.redirect : "follow";
      return fetchThrough(calls, new Request(input, init), init?.redirect ?? ofInput);
    },
    setTimeout: (run, ms, ...args) => setTimer(calls, "setTimeout", run, ms, args, false),
    setInterval: (run, ms, ...args) => setTimer(calls, "setInterval", run, ms, args, true),
    clearTimeout: clearTimer,
    clearInterval: clearTimer,
    importWhileItIsRunning: (load) => importNow(calls, load),
  };
}

/**
 * Returns the globals of the default runtime that differ from Node's.
 *
 * @param {import("./calls.mjs").Calls} calls
 * @param {{ env: Record<string, string> }} process
 * @param {ReturnType<typeof import("./performance.mjs").definePerformance>} performance
 * @param {boolean} isAuthConfig true if unset variables are errors
 */
export function makeDefaultGlobals(calls, { env }, performance, isAuthConfig) {
  return {
    ...performance.classes,
    performance: performance.make(),
    AsyncLocalStorage,
    AsyncResource,
    process: { env: makeEnvironment(env, isAuthConfig) },
    structuredClone: (value, options) => {
      if (options !== undefined) calls.stop("structuredClone with transfer not supported");
      return structuredClone(value);
    },
  };
}

/** Returns the variables as an object of which code can read only single properties. */
function makeEnvironment(env, isAuthConfig) {
  const get = (_, name) => {
    if (typeof name === "symbol" || Object.hasOwn(env, name)) return env[name];
    if (!isAuthConfig) return undefined;
    throw new Error(
      `Environment variable ${name} is used in auth config file but its value was not set`,
    );
  };
  return new Proxy({}, { get });
}

/** Returns the time that a call sees: while it loads modules, that of the deploy; undefined in actions. */
function timeOf(call) {
  return call?.loading?.now ?? call?.now;
}

/** Imports a module for an `import()`. Throws in queries and mutations, which may not use it. */
async function importNow(calls, load) {
  const kind = calls.current()?.kind;
  if (kind === "query" || kind === "mutation")
    throw new TypeError("dynamic module import unsupported");
  return load();
}

/** Throws outside of actions, for a feature that only actions may use, with the real backend's message. */
function refuseInTransaction(calls, what) {
  const kind = calls.current()?.kind;
  if (kind === "loading") throw new Error(`${what} unsupported at import time`);
  if (kind === "query" || kind === "mutation") throw new Error(inTransaction(what));
}

function setTimer(calls, name, run, ms, args, repeats) {
  refuseInTransaction(calls, name);
  if (typeof run === "string") endNotImplemented(calls, `code string argument for ${name}`);
  const call = calls.current();
  return calls.arm(call, {
    run: () => run(...args),
    ms: Math.min(Number(ms) || 0, Number.MAX_SAFE_INTEGER),
    repeats,
  });
}

/** Returns Node's `process` for model code: with the deployment's environment, and without a way to end it. */
function makeProcess(env) {
  const { arch, platform, version, versions } = process;
  return {
    env,
    arch,
    platform,
    version,
    versions,
    argv: [],
    cwd: () => "/",
    hrtime: process.hrtime,
    memoryUsage: process.memoryUsage,
    nextTick: process.nextTick.bind(process),
    uptime: process.uptime.bind(process),
    on() {},
    once() {},
    off() {},
    emitWarning() {},
  };
}

/** Returns a class Date whose present time is the result of `now`. */
function makeDate(now) {
  return new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
}

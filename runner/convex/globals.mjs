// What functions see of the backend in their global scope: time, timers, fetch, environment.

import { makeConsole } from "./console.mjs";
import { makeDate } from "./clock.mjs";
import { current } from "./execution.mjs";

/**
 * Makes the globals that runtime.mjs gives to bundles.
 *
 * @param {{ clock: import("./clock.mjs").Clock, outbound: import("./outbound.mjs").Outbound,
 *   env: Record<string, string> }} parts
 */
export function makeGlobals({ clock, outbound, env }) {
  const { setTimer, clearTimer } = timers(clock);
  return {
    Date: makeDate(() => Math.floor(current()?.now ?? clock.now)),
    console: makeConsole(() => current()?.logLines),
    process: makeProcess(env),
    fetch: async (input, init) => {
      refuseInTransaction("fetch()");
      return outbound.fetch(input, init);
    },
    setTimeout: (call, ms, ...args) => setTimer("setTimeout", call, ms, args, false),
    setInterval: (call, ms, ...args) => setTimer("setInterval", call, ms, args, true),
    clearTimeout: clearTimer,
    clearInterval: clearTimer,
  };
}

/** Refuses what only actions may do, in the real backend's words. */
export function refuseInTransaction(what) {
  if (!current()?.isTransaction) return;
  throw new Error(
    `Can't use ${what} in queries and mutations. Please consider using an action. ` +
      "See https://docs.convex.dev/functions/actions for more details.",
  );
}

function timers(clock) {
  let nextId = 1;
  const setTimer = (name, call, ms, args, repeats) => {
    refuseInTransaction(name);
    const execution = current();
    // Of a function that has ended nothing goes on.
    const { timers, over } = execution?.root ?? { over: true };
    const id = nextId++;
    if (over) return id;
    const wait = Math.max(Number(ms) || 0, repeats ? 1 : 0);
    const arm = () => {
      const cancel = clock.at(clock.now + wait, () => {
        if (repeats) arm();
        else timers.delete(id);
        execution.run(() => call(...args));
      });
      timers.set(id, cancel);
    };
    arm();
    return id;
  };
  const clearTimer = (id) => {
    const timers = current()?.root.timers;
    timers?.get(id)?.();
    timers?.delete(id);
  };
  return { setTimer, clearTimer };
}

/** Node's process for model code: its environment is the deployment's, and it cannot be ended. */
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

// The runtimes that run bundles: the default runtime, without Node.js, and the Node.js runtime.
//
// A bundle is a script that is run again for each call, so that no state of its modules outlives the call, as
// on the real backend. The parameters of the function around the script shadow Node's own globals. This is no
// wall: if code gets to Node all the same, it is in this process, which has nothing but model code.

import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";

import * as server from "convex/server";
import * as values from "convex/values";

import { withNodeMethods } from "./console.mjs";

/** The global names of Node that the default runtime lacks. */
const NODE_ONLY = [
  "Buffer",
  "global",
  "require",
  "module",
  "exports",
  "__dirname",
  "__filename",
  "setImmediate",
  "clearImmediate",
  "BroadcastChannel",
  "MessageChannel",
  "MessageEvent",
  "MessagePort",
  "PerformanceEntry",
  "PerformanceMark",
  "PerformanceMeasure",
  "PerformanceObserver",
  "PerformanceObserverEntryList",
  "PerformanceResourceTiming",
  "WebSocket",
  "EventSource",
  "navigator",
];
let definitions = 0;
/** Convex's library; its function for components gives each definition a path, as a deploy does. */
const LIBRARY = {
  "convex/server": Object.freeze({
    ...server,
    defineComponent: (name, options) => {
      const definition = server.defineComponent(name, options);
      definitions += 1;
      const path = { componentDefinitionPath: String(definitions), defaultName: name };
      return Object.assign(definition, path);
    },
  }),
  "convex/values": values,
};
const OURS = [
  "convexLibrary",
  "Date",
  "console",
  "process",
  "fetch",
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "importWhileItIsRunning",
];
/** Our globals that are hidden from code of the project. */
const HIDDEN = new Set(["convexLibrary", "importWhileItIsRunning"]);
/** The form of the global names of the language and of the web that the default runtime has. */
const SHOWN =
  /^[A-Z]|^(?:de|en)code|^is|^parse|escape$|^undefined$|^(?:atob|btoa|crypto|performance|queueMicrotask|structuredClone)$/;
/** The prototype of a call's global object. */
const AROUND = Object.create(null, {
  AsyncLocalStorage: value(AsyncLocalStorage),
  AsyncResource: value(AsyncResource),
});
for (const name of Object.getOwnPropertyNames(globalThis)) {
  if (!SHOWN.test(name) || NODE_ONLY.includes(name) || OURS.includes(name)) continue;
  // A getter reads the global when code uses it, because Node loads many globals of the web at their first use.
  const get = () => globalThis[name];
  /** @this {object} */
  const set = function set(replacement) {
    Object.defineProperty(this, name, value(replacement));
  };
  Object.defineProperty(AROUND, name, { get, set, configurable: true });
}

/** Our objects that all calls share; exports of the library have getters. */
export const SHARED = [
  AROUND,
  LIBRARY,
  ...Object.values(LIBRARY["convex/server"]),
  ...Object.values(values),
];

function value(content) {
  return { value: content, writable: true, configurable: true, enumerable: true };
}

/**
 * The bundles of a project, ready to be run.
 */
export class Runtime {
  #scripts = {};
  #globals;
  #dir;

  /**
   * @param {string} dir the project
   * @param {{ isolate: string, node: string | null }} bundles their code
   * @param {(env?: Record<string, string>) => Record<string, any>} globals returns our globals, by the names in OURS
   */
  constructor(dir, { isolate, node }, globals) {
    this.#dir = dir;
    this.#globals = globals;
    for (const [name, bundle] of Object.entries({ isolate, node })) {
      if (bundle === null) continue;
      const parameters =
        name === "isolate" ? [...OURS, ...NODE_ONLY, "globalThis", "self"] : NODE_SCOPE;
      this.#scripts[name] = new Script(
        `"use strict"; (function (${parameters.join(", ")}) {\n${bundle}\nreturn project.modules; })`,
        { filename: `convex-${name}`, lineOffset: -1 },
      );
    }
  }

  /**
   * Runs a bundle again.
   *
   * @param {boolean} node true for the bundle of files with "use node"
   * @param {{ isAuthConfig?: boolean, env?: Record<string, string> }} [options] isAuthConfig is true if unset
   *   variables are errors; env has a component's own variables
   * @returns {Record<string, () => Promise<Record<string, any>>>} functions that import modules, by the modules' names
   */
  start(node, { isAuthConfig = false, env } = {}) {
    return node ? this.#startNode() : this.#startIsolate(isAuthConfig, env);
  }

  #startIsolate(isAuthConfig, own) {
    const around = this.#scripts.isolate.runInThisContext();
    // In the default runtime, `process` has only the environment, whose names cannot be listed.
    const globals = this.#globals(own);
    const { env } = globals.process;
    const ours = oursOf(globals, {
      process: { env: isAuthConfig ? whole(env) : Object.create(env) },
    });
    const scope = Object.create(AROUND);
    for (const [index, name] of OURS.entries()) {
      if (!HIDDEN.has(name)) scope[name] = ours[index];
    }
    scope.globalThis = scope.self = scope;
    return around(...ours, ...NODE_ONLY.map(() => undefined), scope, scope);
  }

  #startNode() {
    const around = this.#scripts.node.runInThisContext();
    const require = createRequire(join(this.#dir, "convex", "index.js"));
    const module = { exports: {} };
    const globals = this.#globals();
    return around(
      ...oursOf(globals, { console: withNodeMethods(globals.console) }),
      require,
      module,
      module.exports,
      join(this.#dir, "convex"),
      join(this.#dir, "convex", "index.js"),
    );
  }
}

/** Returns our globals for a call, some of them replaced, in the order of OURS. */
function oursOf(globals, replaced) {
  const all = { ...globals, convexLibrary: LIBRARY, ...replaced };
  return OURS.map((name) => all[name]);
}

/** Returns the variables as an object that throws when code reads a variable that is not set. */
function whole(env) {
  const get = (target, name) => {
    if (typeof name === "symbol" || name in target) return target[name];
    throw new Error(
      `Environment variable ${name} is used in auth config file but its value was not set`,
    );
  };
  return new Proxy(env, { get });
}

const NODE_SCOPE = [...OURS, "require", "module", "exports", "__dirname", "__filename"];

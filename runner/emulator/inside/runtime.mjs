// Runs bundles: the default runtime, which has no Node.js in it, and the Node.js one.
//
// A bundle is a script that is run anew for each call, so that no state of its modules outlives
// the call, as on the real backend. What it sees are the parameters of the function around it:
// Node's own globals are shadowed. That keeps honest code honest; code that gets to Node all the
// same has got to this process, in which there is nothing but model code.

import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";

import * as server from "convex/server";
import * as values from "convex/values";

import { withNodeMethods } from "./console.mjs";

/** Of the web, what the default runtime offers and Node has in its global scope. */
const WEB = [
  "AbortController",
  "AbortSignal",
  "Blob",
  "ByteLengthQueuingStrategy",
  "CompressionStream",
  "CountQueuingStrategy",
  "Crypto",
  "CryptoKey",
  "CustomEvent",
  "DOMException",
  "DecompressionStream",
  "Event",
  "EventTarget",
  "File",
  "FormData",
  "Headers",
  "Intl",
  "ReadableByteStreamController",
  "ReadableStream",
  "ReadableStreamBYOBReader",
  "ReadableStreamBYOBRequest",
  "ReadableStreamDefaultController",
  "ReadableStreamDefaultReader",
  "Request",
  "Response",
  "SubtleCrypto",
  "TextDecoder",
  "TextDecoderStream",
  "TextEncoder",
  "TextEncoderStream",
  "TransformStream",
  "TransformStreamDefaultController",
  "URL",
  "URLSearchParams",
  "WebAssembly",
  "WritableStream",
  "WritableStreamDefaultController",
  "WritableStreamDefaultWriter",
  "atob",
  "btoa",
  "crypto",
  "performance",
  "queueMicrotask",
  "structuredClone",
];
/** What Node has beside it, and the default runtime has not. */
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
/** Convex's library, but for definitions of components: each has the path that a deploy gives it. */
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
/** Of ours, what code has no name for. */
const HIDDEN = new Set(["convexLibrary", "importWhileItIsRunning"]);
const LANGUAGE = Object.getOwnPropertyNames(globalThis).filter((name) => {
  const web = WEB.includes(name) || NODE_ONLY.includes(name) || OURS.includes(name);
  return (
    !web &&
    name !== "globalThis" &&
    /^[A-Z]|^(?:de|en)code|^is|^parse|escape$|^NaN$|^undefined$/.test(name)
  );
});
/** What the global object of a call inherits from. */
const AROUND = Object.create(null, {
  AsyncLocalStorage: value(AsyncLocalStorage),
  AsyncResource: value(AsyncResource),
});
for (const name of [...WEB, ...LANGUAGE]) {
  // Looked up when it is used: Node loads much of the web only then, at a cost that shows.
  const get = () => globalThis[name];
  /** @this {object} */
  const set = function set(replacement) {
    Object.defineProperty(this, name, value(replacement));
  };
  if (name in globalThis) Object.defineProperty(AROUND, name, { get, set, configurable: true });
}

/** What all calls share of ours; what the library exports stands behind getters. */
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
   * @param {(env?: Record<string, string>) => Record<string, any>} globals makes what functions see of ours, by the names in OURS
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
   * Runs a bundle anew.
   *
   * @param {boolean} node whether it is the one of files that say "use node"
   * @param {{ isAuthConfig?: boolean, env?: Record<string, string> }} [options] whether unset variables
   *   are errors; a component's own variables
   * @returns {Record<string, () => Promise<Record<string, any>>>} imports a module, by its name
   */
  start(node, { isAuthConfig = false, env } = {}) {
    return node ? this.#startNode() : this.#startIsolate(isAuthConfig ? whole : Object.create, env);
  }

  #startIsolate(shown, env) {
    const around = this.#scripts.isolate.runInThisContext();
    // Of Node's process the default runtime has the environment only, without a list of its names.
    const ours = this.#ours((process) => ({ env: shown(process.env) }), { env });
    const scope = Object.create(AROUND);
    for (const [index, name] of OURS.entries()) {
      if (!HIDDEN.has(name)) scope[name] = ours[index];
    }
    scope.globalThis = scope.self = scope;
    return around(...ours, ...NODE_ONLY.map(() => undefined), scope, scope);
  }

  /**
   * Makes what a call sees of ours, in the order of OURS.
   *
   * @param {(process: any) => any} shown
   * @param {{ complete?: (console: any) => any, env?: Record<string, string> }} [options]
   */
  #ours(shown, { complete = (console) => console, env } = {}) {
    const globals = this.#globals(env);
    const console = complete(globals.console);
    const all = { ...globals, console, convexLibrary: LIBRARY, process: shown(globals.process) };
    return OURS.map((name) => all[name]);
  }

  #startNode() {
    const around = this.#scripts.node.runInThisContext();
    const require = createRequire(join(this.#dir, "convex", "index.js"));
    const module = { exports: {} };
    return around(
      ...this.#ours((process) => process, { complete: withNodeMethods }),
      require,
      module,
      module.exports,
      join(this.#dir, "convex"),
      join(this.#dir, "convex", "index.js"),
    );
  }
}

/** Returns variables of which only those can be read that are set. */
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

// The runtimes that run bundles: the default runtime, without Node.js, and the Node.js runtime.
//
// A bundle is a script that is run again for each call, so that no state of its modules outlives the call, as
// on the real backend. The parameters of the function around the script shadow Node's own globals. This is no
// wall: if code gets to Node all the same, it is in this process, which has nothing but model code.

import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";

import * as server from "convex/server";
import * as values from "convex/values";

import { withNodeMethods } from "./console.mjs";
import { NAMES } from "./default_runtime.mjs";

/** The global names of Node that code of the default runtime does not see. */
const HIDDEN_OF_NODE = Object.getOwnPropertyNames(globalThis).filter((name) => !NAMES.has(name));
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
/** Our globals that only the default runtime has. */
const OURS_OF_DEFAULT = [
  "AsyncLocalStorage",
  "AsyncResource",
  "Performance",
  "PerformanceEntry",
  "PerformanceMark",
  "PerformanceMeasure",
  "performance",
  "structuredClone",
];
const DEFAULT_SCOPE = [...OURS, ...OURS_OF_DEFAULT];
/** The prototype of a call's global object. */
const AROUND = {};
for (const name of NAMES) {
  if (DEFAULT_SCOPE.includes(name)) continue;
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
   * @param {{ ofBoth: (env?: Record<string, string>) => Record<string, any>,
   *   ofDefault: (process: any, isAuthConfig: boolean) => Record<string, any> }} globals return our globals, by
   *   the names in OURS and in OURS_OF_DEFAULT; ofDefault gets the global `process` of both runtimes
   */
  constructor(dir, { isolate, node }, globals) {
    this.#dir = dir;
    this.#globals = globals;
    for (const [name, bundle] of Object.entries({ isolate, node })) {
      if (bundle === null) continue;
      const parameters =
        name === "isolate"
          ? [...DEFAULT_SCOPE, ...HIDDEN_OF_NODE, "globalThis", "self"]
          : NODE_SCOPE;
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
    const { ofBoth, ofDefault } = this.#globals;
    const globals = ofBoth(own);
    const ofDefaultOnly = ofDefault(globals.process, isAuthConfig);
    const all = { ...globals, convexLibrary: LIBRARY, ...ofDefaultOnly };
    const ours = DEFAULT_SCOPE.map((name) => all[name]);
    const scope = Object.create(AROUND);
    for (const [index, name] of DEFAULT_SCOPE.entries()) {
      if (!HIDDEN.has(name)) scope[name] = ours[index];
    }
    scope.globalThis = scope.self = scope;
    return around(...ours, ...HIDDEN_OF_NODE.map(() => undefined), scope, scope);
  }

  #startNode() {
    const around = this.#scripts.node.runInThisContext();
    const require = createRequire(join(this.#dir, "convex", "index.js"));
    const module = { exports: {} };
    const globals = this.#globals.ofBoth();
    const all = { ...globals, convexLibrary: LIBRARY, console: withNodeMethods(globals.console) };
    return around(
      ...OURS.map((name) => all[name]),
      require,
      module,
      module.exports,
      join(this.#dir, "convex"),
      join(this.#dir, "convex", "index.js"),
    );
  }
}

const NODE_SCOPE = [...OURS, "require", "module", "exports", "__dirname", "__filename"];

// A deployment of the emulator in the process of a test: its database, syscalls, validation, components,
// scheduler and files, with the functions and the clock of the test.

import { EventEmitter } from "node:events";

import { Components } from "../../runner/emulator/project/components.mjs";
import { Database } from "../../runner/emulator/data/database.mjs";
import { current } from "../../runner/emulator/functions/execution.mjs";
import { Executor } from "../../runner/emulator/functions/executor.mjs";
import { Isolate } from "../../runner/emulator/functions/isolate.mjs";
import { LIMITS } from "../../runner/emulator/functions/limits.mjs";
import { checkAllowed } from "../../runner/emulator/functions/operations.mjs";
import { Outbound } from "../../runner/emulator/functions/outbound.mjs";
import { Scheduler } from "../../runner/emulator/functions/scheduler.mjs";
import { Storage } from "../../runner/emulator/data/storage.mjs";
import { Answers } from "../../runner/emulator/functions/syscalls.mjs";
import { TestClock } from "./clock.mjs";
import { Functions, makeSockets } from "./functions.mjs";

const ORIGIN = "https://some.convex.cloud";
export const SITE = "https://some.convex.site";
/** The module of the closures that a test passes. */
const CLOSURES = "closures";
const ANY = { type: "any" };
/** Frames of a stack lie in the test's own files. */
const PLACES = /** @type {any} */ ({ frames: () => [] });

/** An executor that knows the scheduled functions under way. */
class TestExecutor extends Executor {
  jobs = new Set();

  async job(call) {
    const course = super.job(call);
    this.jobs.add(course);
    try {
      await course;
    } finally {
      this.jobs.delete(course);
    }
  }
}

/**
 * @typedef {{ schema: any, modules: Map<string, () => Promise<any>> }} Source of the app or a component
 */

export class TestDeployment {
  clock = new TestClock();
  /** @type {Components} */
  components;
  /** @type {TestExecutor} */
  executor;
  #database;
  #answers;
  #closures = {};
  #nextClosure = 1;

  /**
   * Deploys.
   *
   * @param {Map<string, Source>} sources by the path of the component; the app's is empty
   * @param {Partial<typeof LIMITS>} limits
   */
  static async open(sources, limits) {
    const deployment = new TestDeployment();
    await deployment.#open(sources, limits);
    return deployment;
  }

  async #open(sources, limits) {
    const { modules, importers } = modulesOf(sources);
    const [own, other] = makeSockets();
    const backend = {
      answer: (op, args, taken) => this.#answer(op, args, taken),
      taken: (taken) => this.#answers.countTaken(taken),
      arm: () => {},
      logged: () => {},
      gone: () => {},
    };
    const isolate = new Isolate(new EventEmitter(), own, backend);
    new Functions(other, async (entry) =>
      entry === CLOSURES ? this.#closures : importers.get(entry)(),
    );
    this.components = await Components.load(modules, isolate, PLACES, () => ({}));
    const { clock, components } = this;
    const now = () => Math.floor(current()?.now ?? clock.now);
    this.#database = new Database(components.schemas(), now);
    const parts = { clock, database: this.#database, executor: () => this.executor };
    const typed = /** @type {any} */ (parts);
    const storage = new Storage(ORIGIN, typed);
    const scheduler = new Scheduler(typed);
    const outbound = new Outbound([], () => Promise.reject(new Error("nothing is served")));
    this.#answers = new Answers({ ...typed, components, storage, outbound });
    this.executor = new TestExecutor({
      ...typed,
      components,
      isolate,
      places: () => PLACES,
      limits: { ...LIMITS, computingMs: Infinity, ...limits },
      afterCommit: ({ scheduled, removedFiles }) => {
        for (const id of removedFiles) storage.remove(id);
        scheduler.arm(scheduled);
      },
    });
  }

  /** Answers what a function asks for; a closure of `t.run` may store files, as an action does. */
  async #answer(op, args, taken) {
    const { kind, path } = current();
    const isClosure = path.startsWith(`${CLOSURES}:`) && op.startsWith("storage");
    checkAllowed(op, isClosure ? "action" : kind);
    return this.#answers.ask(op, args, taken);
  }

  /**
   * Calls a registered function of the test as if it were deployed.
   *
   * @param {"query" | "mutation" | "action"} kind
   */
  async callClosure(kind, registered, identity, component = "") {
    const name = `closure${this.#nextClosure++}`;
    const path = `${CLOSURES}:${name}`;
    const { functions } = this.components.get(component).project;
    const spec = { path, module: CLOSURES, entry: CLOSURES, name, kind, args: ANY };
    this.#closures[name] = registered;
    functions.set(path, { ...spec, internal: false, node: false, returns: null });
    try {
      return await this.executor.call(kind, path, {}, identity, component);
    } finally {
      functions.delete(path);
      delete this.#closures[name];
    }
  }
}

/** Returns the modules of all components as the bundler lists them, and what imports each. */
function modulesOf(sources) {
  const modules = [];
  const importers = new Map();
  const paths = [...sources.keys()].sort();
  for (const [definition, path] of paths.entries()) {
    const add = (name, importer) => {
      const entry = `${path}\n${name}`;
      modules.push({ name, file: `${name}.ts`, node: false, definition, entry });
      importers.set(entry, importer);
    };
    const { schema, modules: own } = sources.get(path);
    const children = paths.filter((other) => parentOf(other) === path);
    add("convex.config", async () => ({ default: definitionOf(path, children) }));
    if (schema) add("schema", async () => ({ default: schema }));
    for (const [name, importer] of own) add(name, importer);
  }
  return { modules, importers };
}

function parentOf(path) {
  if (path === "") return null;
  return path.split("/").slice(0, -1).join("/");
}

/** Returns what the default export of a convex.config is, for a component and its children. */
function definitionOf(path, children) {
  const childComponents = children.map((child) => {
    return { name: child.split("/").at(-1), path: `definition ${child}`, env: [] };
  });
  const exported = { childComponents, httpMounts: {}, httpPrefix: "/", envVars: [] };
  return { componentDefinitionPath: `definition ${path}`, export: () => exported };
}

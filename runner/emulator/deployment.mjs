// A deployment: a project with its data, its clock and its network.

import { bundleProject } from "./bundle.mjs";
import { Clock } from "./clock.mjs";
import { Components } from "./project/components.mjs";
import { CronRunner } from "./functions/crons.mjs";
import { Database } from "./data/database.mjs";
import { DeployError } from "./errors.mjs";
import { Executor } from "./functions/executor.mjs";
import { current } from "./functions/execution.mjs";
import { Identities } from "./api/identity.mjs";
import { Isolate } from "./functions/isolate.mjs";
import { LIMITS } from "./functions/limits.mjs";
import { Log } from "./functions/log.mjs";
import { checkAllowed } from "./functions/operations.mjs";
import { Outbound } from "./functions/outbound.mjs";
import { Places } from "./project/places.mjs";
import { Scheduler } from "./functions/scheduler.mjs";
import { Storage } from "./data/storage.mjs";
import { Answers } from "./functions/syscalls.mjs";

export class Deployment {
  /** The deployment's own variables, which cannot be set: its addresses. */
  #builtIn;
  /** The variables that were set. @type {Record<string, string>} */
  ownEnv = {};
  /** The limits of a function's transaction: those of production, unless a test lowers them. */
  limits = { ...LIMITS };
  log = new Log();
  // The following fields are set by `open`.
  /** @type {Isolate} */
  isolate;
  /** @type {Components} */
  components;
  /** The app's. @type {import("./project/project.mjs").Project} */
  project;
  /** @type {Database} */
  database;
  /** @type {Storage} */
  storage;
  /** @type {Scheduler} */
  scheduler;
  /** @type {Answers} */
  syscalls;
  /** @type {Identities} */
  identities;
  /** Undefined while modules are loaded. @type {Executor} */
  executor;
  /** @type {CronRunner} */
  crons;

  /**
   * Deploys the project in `dir`. Rejects with a DeployError.
   *
   * @param {{ dir: string, out: string, link: string, adminKey: string, origin: string,
   *   siteOrigin: string, fixtures?: string, gone: () => void }} options link is the socket to which the
   *   process that runs model code connects; gone is called when that process has ended
   * @param {(deployment: Deployment, request: Request) => Promise<Response>} serve answers requests of
   *   functions to their own deployment
   */
  static async open(options, serve) {
    const deployment = new Deployment(options, serve);
    await deployment.#open(options);
    deployment.reset();
    return deployment;
  }

  /**
   * @param {{ adminKey: string, origin: string, siteOrigin: string, fixtures?: string }} options
   * @param {(deployment: Deployment, request: Request) => Promise<Response>} serve
   */
  constructor({ adminKey, origin, siteOrigin, fixtures }, serve) {
    this.adminKey = adminKey;
    this.origin = origin;
    this.siteOrigin = siteOrigin;
    this.#builtIn = { CONVEX_CLOUD_URL: origin, CONVEX_SITE_URL: siteOrigin };
    this.clock = new Clock({
      busy: () => this.executor.busy(),
      turn: () => this.isolate.turn(),
      heard: (ms) => this.isolate.heard(ms),
      changed: (clock) => this.isolate.set({ clock }),
    });
    this.outbound = new Outbound([origin, siteOrigin], (request) => serve(this, request), fixtures);
  }

  async #open({ dir, out, link, gone }) {
    const backend = {
      answer: (op, args, taken) => this.#answer(op, args, taken),
      taken: (taken) => this.syscalls.countTaken(taken),
      arm: (execution, timer) => this.#arm(execution, timer),
      logged: (execution, line) => this.log.add(execution, line),
      gone,
    };
    const opened = Isolate.at(link, backend);
    const { modules, ...bundles } = await bundleProject(dir, out);
    this.isolate = await opened;
    try {
      await this.#load(dir, modules, bundles);
    } catch (error) {
      if (error instanceof DeployError) throw error;
      // All other errors here come from the process that runs the model's code.
      throw new DeployError(`The modules cannot be analyzed: ${error.message}`);
    }
  }

  async #load(dir, modules, bundles) {
    const { clock, isolate, outbound } = this;
    const places = new Places(dir, bundles);
    await isolate.start(dir, bundles, clock.now);
    isolate.set({ env: this.env });
    this.components = await Components.load(modules, isolate, places, () => this.env);
    this.project = this.components.get("").project;
    const now = () => Math.floor(current()?.now ?? clock.now);
    this.database = new Database(this.components.schemas(), now);
    const parts = { clock, database: this.database, executor: () => this.executor };
    this.storage = new Storage(this.origin, parts);
    this.scheduler = new Scheduler(parts);
    this.syscalls = new Answers({
      ...parts,
      components: this.components,
      storage: this.storage,
      outbound,
    });
    this.identities = new Identities(this.adminKey, this.project.auth, () => clock.now);
    this.executor = new Executor({
      components: this.components,
      isolate,
      places,
      database: this.database,
      clock,
      limits: this.limits,
      afterCommit: (transaction) => this.#afterCommit(transaction),
    });
    this.crons = new CronRunner(parts);
  }

  async #answer(op, args, taken) {
    checkAllowed(op, current().kind);
    return this.syscalls.ask(op, args, taken);
  }

  /** Sets a timer of a function. */
  #arm(execution, { timer, ms, repeats }) {
    const { timers, over } = execution.root;
    // A function that has ended sets no timers.
    if (over) return;
    const wait = Math.max(ms, repeats ? 1 : 0);
    const arm = () => {
      const cancel = this.clock.at(this.clock.now + wait, () => {
        if (repeats) arm();
        else timers.delete(timer);
        this.isolate.fire(timer);
      });
      timers.set(timer, cancel);
    };
    arm();
  }

  /** Ends all functions, renews the process that runs them, and resets the deployment. */
  async startAfresh() {
    this.executor.abandon();
    await this.isolate.renew();
    this.reset();
  }

  /** Removes all data, files, schedules, stubs and variables; the deployed code stays. */
  reset() {
    this.executor.abandon();
    this.clock.reset();
    this.database.reset();
    this.scheduler.reset();
    this.storage.reset();
    this.outbound.reset();
    this.ownEnv = {};
    this.isolate.set({ env: this.env });
    Object.assign(this.limits, LIMITS);
    this.crons.start(this.components.crons());
    this.executor.notify();
  }

  /** Sets a variable; null removes it. */
  setEnv(name, value) {
    if (value === null) delete this.ownEnv[name];
    else this.ownEnv[name] = value;
    this.isolate.set({ env: this.env });
    // Queries to which clients subscribe may have read it.
    this.executor.notify();
  }

  /** The names of the deployment's own variables, which cannot be set. */
  get builtInNames() {
    return Object.keys(this.#builtIn);
  }

  /** The variables that functions have as process.env. @returns {Record<string, string>} */
  get env() {
    return { ...this.#builtIn, ...this.ownEnv };
  }

  /** @param {import("./functions/execution.mjs").Transaction} transaction */
  #afterCommit({ scheduled, removedFiles }) {
    for (const id of removedFiles) this.storage.remove(id);
    this.scheduler.arm(scheduled);
  }
}

// A deployment: a project with its data, its clock and its network.

import { existsSync } from "node:fs";
import { join } from "node:path";

import { bundleProject } from "./bundle.mjs";
import { Clock } from "./clock.mjs";
import { Components } from "./project/components.mjs";
import { CronRunner } from "./functions/crons.mjs";
import { Database } from "./data/database.mjs";
import { DeployError } from "./errors.mjs";
import { Executor } from "./functions/executor.mjs";
import { current } from "./functions/execution.mjs";
import { Footprints } from "./functions/footprints.mjs";
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

/** The name of the app that is deployed at first, and again by each reset. */
const ANSWER = "answer";

/**
 * An app that can be deployed: its bundles, in the folder `dir`.
 *
 * @typedef {Awaited<ReturnType<typeof bundleProject>> & { name: string, dir: string, places: Places }} App
 */

export class Deployment {
  /** The deployment's own variables, which cannot be set: its addresses. */
  #builtIn;
  /** The variables that were set. @type {Record<string, string>} */
  ownEnv = {};
  /** The limits of a function's transaction: those of production, unless a test lowers them. */
  limits = { ...LIMITS };
  log = new Log();
  footprints = new Footprints();
  /** The apps that were deployed, by name. @type {Map<string, App>} */
  #apps = new Map();
  #folders;
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
  /** The app that is served. @type {App} */
  #app;

  /**
   * Deploys the project in `dir`. Rejects with a DeployError.
   *
   * @param {{ dir: string, apps?: string, out: string, link: string, adminKey: string, origin: string,
   *   siteOrigin: string, fixtures?: string, gone: () => void }} options apps is the folder of other apps that
   *   can be deployed; link is the socket to which the process that runs model code connects; gone is called
   *   when that process has ended
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
   * @param {{ dir: string, apps?: string, out: string, adminKey: string, origin: string, siteOrigin: string,
   *   fixtures?: string }} options
   * @param {(deployment: Deployment, request: Request) => Promise<Response>} serve
   */
  constructor({ dir, apps, out, adminKey, origin, siteOrigin, fixtures }, serve) {
    this.#folders = { dir, apps, out };
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

  async #open({ link, gone }) {
    const backend = {
      answer: (op, args, taken) => this.#answer(op, args, taken),
      taken: (taken) => this.syscalls.countTaken(taken),
      arm: (execution, timer) => this.#arm(execution, timer),
      logged: (execution, line) => this.log.add(execution, line),
      gone,
    };
    const opened = Isolate.at(link, backend);
    const app = await this.#bundle(ANSWER);
    this.isolate = await opened;
    const components = await this.#load(app);
    this.#compose(app, components);
    this.#use(app, components);
  }

  /** Returns true if there is an app with a name. */
  hasApp(name) {
    return existsSync(this.#folderOf(name));
  }

  #folderOf(name) {
    const { dir, apps } = this.#folders;
    return name === ANSWER ? dir : join(apps ?? "", name);
  }

  /** Bundles an app, if it was not deployed before. */
  async #bundle(name) {
    const known = this.#apps.get(name);
    if (known) return known;
    const { out } = this.#folders;
    const own = this.#folderOf(name);
    const bundles = await bundleProject(own, join(out, name));
    const app = { ...bundles, name, dir: own, places: new Places(own, bundles) };
    this.#apps.set(name, app);
    return app;
  }

  /** Loads the modules of an app, and returns its components. */
  async #load({ dir, modules, isolate, node, places }) {
    try {
      const changes = this.#folders.apps !== undefined;
      await this.isolate.start(dir, { isolate, node }, this.clock.now, changes);
      this.isolate.set({ env: this.env });
      return await Components.load(modules, this.isolate, places, () => this.env);
    } catch (error) {
      if (error instanceof DeployError) throw error;
      // All other errors here come from the process that runs the model's code.
      throw new DeployError(`The modules cannot be analyzed: ${error.message}`);
    }
  }

  /** Makes the parts of the deployment, over the components of its first app. */
  #compose(app, components) {
    const { clock, isolate, outbound } = this;
    this.components = components;
    const now = () => Math.floor(current()?.now ?? clock.now);
    this.database = new Database(components.schemas(), now);
    const parts = { clock, database: this.database, executor: () => this.executor };
    this.storage = new Storage(this.origin, parts);
    this.scheduler = new Scheduler(parts);
    this.syscalls = new Answers({ ...parts, components, storage: this.storage, outbound });
    this.executor = new Executor({
      components,
      isolate,
      places: () => this.#app.places,
      database: this.database,
      clock,
      limits: this.limits,
      footprints: this.footprints,
      afterCommit: (transaction) => this.#afterCommit(transaction),
    });
    this.crons = new CronRunner(parts);
  }

  /** Serves an app from now on. */
  #use(app, components) {
    this.#app = app;
    if (components !== this.components) this.components.become(components);
    this.project = this.components.get("").project;
    this.database.declare(this.components.schemas());
    this.identities = new Identities(this.adminKey, this.project.auth, () => this.clock.now);
  }

  /**
   * Deploys another app over the present data, once no function runs; time does not pass meanwhile. Functions
   * that wait for a timer go on with their own code. Throws a DeployError if the app is refused: then the
   * present app stays.
   *
   * @param {string} name
   */
  deploy(name) {
    return this.clock.settle(async () => {
      const app = await this.#bundle(name);
      try {
        const components = await this.#load(app);
        this.database.checkDocuments(components.schemas());
        this.#use(app, components);
      } catch (error) {
        await this.#load(this.#app);
        throw error;
      }
      this.crons.update(this.components.crons());
      this.executor.notify();
    });
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
    if (this.#app.name !== ANSWER) await this.deploy(ANSWER);
  }

  /** Removes all data, files, schedules, stubs and variables; the deployed code stays. */
  reset() {
    this.executor.abandon();
    this.clock.reset();
    this.database.reset();
    this.scheduler.reset();
    this.storage.reset();
    this.outbound.reset();
    this.footprints.reset();
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

// One deployment: a project, its data, its clock, and what it may reach.

import { bundleProject } from "./bundle.mjs";
import { Clock, makeDate } from "./clock.mjs";
import { CronRunner } from "./crons.mjs";
import { Emulator } from "./emulator.mjs";
import { Executor } from "./executor.mjs";
import { current } from "./execution.mjs";
import { makeGlobals } from "./globals.mjs";
import { Identities } from "./identity.mjs";
import { LIMITS } from "./limits.mjs";
import { Outbound } from "./outbound.mjs";
import { Project } from "./project.mjs";
import { Runtime } from "./runtime.mjs";
import { Scheduler } from "./scheduler.mjs";
import { Storage } from "./storage.mjs";
import { makeSyscalls } from "./syscalls.mjs";

export class Deployment {
  #ownEnv;
  /** What functions have as process.env. */
  env = {};
  /** What one transaction of a function may do: production's limits, unless a test lowers them. */
  limits = { ...LIMITS };

  /**
   * Deploys the project in `dir`. Rejects with a DeployError or an UnsupportedError.
   *
   * @param {{ dir: string, out: string, adminKey: string, origin: string, siteOrigin: string }} options
   * @param {(deployment: Deployment, request: Request) => Promise<Response>} serve answers what
   *   functions fetch from their own deployment
   */
  static async open(options, serve) {
    const deployment = new Deployment(options, serve);
    await deployment.#load(options.dir, options.out);
    deployment.reset();
    return deployment;
  }

  constructor({ adminKey, origin, siteOrigin }, serve) {
    this.adminKey = adminKey;
    this.origin = origin;
    this.siteOrigin = siteOrigin;
    this.#ownEnv = { CONVEX_CLOUD_URL: origin, CONVEX_SITE_URL: siteOrigin };
    Object.assign(this.env, this.#ownEnv);
    this.clock = new Clock(() => this.executor.busy());
    // The emulator stamps documents with it.
    globalThis.Date = makeDate(() => Math.floor(current()?.now ?? this.clock.now));
    this.outbound = new Outbound([origin, siteOrigin], (request) => serve(this, request));
  }

  async #load(dir, out) {
    const { modules, isolate, node } = await bundleProject(dir, out);
    const { clock, outbound, env } = this;
    const runtime = new Runtime(dir, { isolate, node }, makeGlobals({ clock, outbound, env }));
    this.project = await Project.load(modules, runtime);
    this.emulator = new Emulator(this.project.schemaDefinition);
    const parts = { clock, emulator: this.emulator, executor: () => this.executor };
    this.storage = new Storage(this.origin, parts);
    this.scheduler = new Scheduler(parts);
    this.syscalls = makeSyscalls({ ...parts, project: this.project, storage: this.storage });
    // Where Convex's library asks the backend.
    globalThis.Convex = this.syscalls;
    this.identities = new Identities(this.adminKey, this.project.auth, () => clock.now);
    this.executor = new Executor({
      project: this.project,
      runtime,
      emulator: this.emulator,
      clock,
      identities: this.identities,
      limits: this.limits,
      afterCommit: (transaction) => this.#afterCommit(transaction),
    });
    this.crons = new CronRunner(clock, (cron) => {
      void this.executor.job(() => this.executor.internal(cron.path, cron.args));
    });
  }

  /** Forgets all data, files, schedules, stubs and variables; the functions stay. */
  reset() {
    this.executor.abandon();
    this.clock.reset();
    this.emulator.reset();
    this.scheduler.reset();
    this.storage.reset();
    this.outbound.reset();
    for (const name of Object.keys(this.env)) delete this.env[name];
    Object.assign(this.env, this.#ownEnv);
    Object.assign(this.limits, LIMITS);
    this.crons.start(this.project.crons);
    this.executor.notify();
  }

  setEnv(name, value) {
    this.env[name] = value;
  }

  #afterCommit({ scheduled, removedFiles }) {
    for (const id of removedFiles) this.storage.remove(id);
    this.scheduler.arm(scheduled);
  }
}

// One deployment: a project, its data, its clock, and what it may reach.

import { bundleProject } from "./bundle.mjs";
import { captureConsole } from "./console.mjs";
import { Clock } from "./clock.mjs";
import { CronRunner } from "./crons.mjs";
import { Executor } from "./executor.mjs";
import { Outbound } from "./outbound.mjs";
import { Project } from "./project.mjs";
import { Links } from "./storage.mjs";

export class Deployment {
  #env;

  /**
   * Deploys the project in `dir`.
   *
   * @param {{ dir: string, out: string, adminKey: string, origin: string, siteOrigin: string }} options
   * @param {(deployment: Deployment, request: Request) => Promise<Response>} serve answers what
   *   functions fetch from their own deployment
   */
  static async open({ dir, out, adminKey, origin, siteOrigin }, serve) {
    const built = await bundleProject(dir, out);
    const deployment = new Deployment();
    deployment.adminKey = adminKey;
    deployment.origin = origin;
    deployment.siteOrigin = siteOrigin;
    deployment.#env = { CONVEX_CLOUD_URL: origin, CONVEX_SITE_URL: siteOrigin };
    deployment.#resetEnv();
    deployment.links = new Links(origin);
    deployment.outbound = new Outbound([origin, siteOrigin], (request) => serve(deployment, request));
    originOfRequests(siteOrigin);
    captureConsole();
    deployment.clock = new Clock(() => deployment.executor.idle());
    const project = await Project.load(built);
    deployment.executor = new Executor(project, adminKey, deployment.links);
    deployment.crons = new CronRunner(deployment.clock, (cron) =>
      deployment.executor.internal(cron.path, cron.args),
    );
    deployment.crons.start(project.crons);
    return deployment;
  }

  /** Forgets all data, files, schedules, stubs and variables; the functions stay. */
  reset() {
    this.clock.reset();
    this.executor.reset();
    this.links.reset();
    this.outbound.reset();
    this.#resetEnv();
    this.crons.start(this.executor.project.crons);
  }

  setEnv(name, value) {
    process.env[name] = value;
  }

  #resetEnv() {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, this.#env);
  }
}

/** The emulator gives HTTP actions requests to an address of its own: show them ours instead. */
function originOfRequests(siteOrigin) {
  const { Request } = globalThis;
  const placeholder = "https://some.convex.site";
  globalThis.Request = class extends Request {
    constructor(input, init) {
      const url = input instanceof URL && input.origin === placeholder;
      super(url ? siteOrigin + input.href.slice(placeholder.length) : input, init);
    }
  };
}

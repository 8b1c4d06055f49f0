// Cron jobs: they are checked at deploy, reported in the real backend's units, and run on the clock.

import { Cron } from "croner";

import { DeployError } from "../errors.mjs";

/**
 * @typedef {{ identifier: string, path: string, args: object, schedule: object }} CronSpec
 *   schedule is in the form that the real backend stores
 * @typedef {CronSpec & { target: import("../project/components.mjs").Target }} Installed a job of a component
 */

const UNITS = { seconds: 1, minutes: 60, hours: 3600 };
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Reads the cron jobs from the text of crons.ts's default export; null means that there is no such export. */
export function readCrons(crons) {
  if (crons === null) {
    throw new DeployError("crons.js is missing a default export: export default cronJobs().");
  }
  return Object.entries(JSON.parse(crons)).map(([identifier, spec]) => ({
    identifier,
    path: callablePath(spec.name),
    args: spec.args[0] ?? {},
    schedule: stored(spec.schedule),
  }));
}

/** Checks that each job names a mutation or action of the project, and a time that will come. */
export function checkCrons(project) {
  for (const { identifier, path, schedule } of project.crons) {
    const target = project.functions.get(path);
    const shown = storedPath(path);
    if (!target) {
      throw new DeployError(
        `The cron job '${identifier}' schedules a function that does not exist: ${shown}`,
      );
    }
    if (target.kind === "query") {
      throw new DeployError(
        `The cron job '${identifier}' schedules a query function, only actions and mutations can ` +
          `be scheduled: ${shown}`,
      );
    }
    if (schedule.type !== "interval") nextRun(schedule, Date.now());
  }
}

/** Returns a path in the form of callers: `tasks:sweep` for `tasks.js:sweep`. */
export function callablePath(path) {
  const [module, name = "default"] = path.split(":");
  return `${module.replace(/\.js$/, "")}:${name}`;
}

/** Returns a path in the form that the real backend stores: `tasks.js:sweep` for `tasks:sweep`. */
export function storedPath(path) {
  const [module, name] = callablePath(path).split(":");
  return `${module}.js:${name}`;
}

/** Returns a schedule in the units that the real backend stores. */
function stored(schedule) {
  switch (schedule.type) {
    case "interval": {
      const [unit] = Object.keys(UNITS).filter((one) => schedule[one] !== undefined);
      return { type: "interval", seconds: schedule[unit] * UNITS[unit] };
    }
    case "weekly":
      return { minuteUTC: 0, ...schedule, dayOfWeek: DAYS.indexOf(schedule.dayOfWeek) };
    case "cron":
      return { type: "cron", cronExpr: schedule.cron };
    default:
      // Without a minute, the real backend chooses one.
      return { minuteUTC: 0, ...schedule };
  }
}

/**
 * Runs cron jobs on a clock. A job has at most one run at a time: its next run is set when a run has ended, and
 * times that have passed by then are skipped. A job with an interval first runs after one interval, so that no
 * job runs at the beginning of a test.
 */
export class CronRunner {
  #parts;
  /** The present jobs by their texts; timers and runs of others have no effect. @type {Map<string, Installed>} */
  #jobs = new Map();

  /**
   * @param {{ clock: import("../clock.mjs").Clock, executor: () => import("./executor.mjs").Executor }} parts
   */
  constructor(parts) {
    this.#parts = parts;
  }

  /** Starts `crons` from now on, in place of all earlier ones. */
  start(crons) {
    this.#jobs.clear();
    this.update(crons);
  }

  /** Starts the jobs that are new, and ends those that are no longer among `crons`; others go on. */
  update(crons) {
    const before = this.#jobs;
    this.#jobs = new Map(crons.map((cron) => [JSON.stringify(cron), cron]));
    for (const [text, cron] of this.#jobs) {
      const known = before.get(text);
      if (known) this.#jobs.set(text, known);
      else this.#arm(text, cron, nextRun(cron.schedule, this.#parts.clock.now));
    }
  }

  #arm(text, cron, at) {
    const { clock, executor } = this.#parts;
    const isPresent = () => this.#jobs.get(text) === cron;
    const run = async () => {
      await executor().internal(cron.target, cron.args);
      if (isPresent()) this.#arm(text, cron, nextRunFrom(cron.schedule, at, clock.now));
    };
    clock.at(at, () => {
      if (isPresent()) void executor().job(run);
    });
  }
}

/** Returns the next time of a schedule after its run `last`, without times before `now`. */
function nextRunFrom(schedule, last, now) {
  if (schedule.type !== "interval") return nextRun(schedule, Math.max(last, now - 1));
  const ms = 1000 * schedule.seconds;
  return last + ms * Math.max(1, Math.ceil((now - last) / ms));
}

/** Returns the next time of a schedule after a time, both in milliseconds since the epoch. */
function nextRun(schedule, after) {
  if (schedule.type === "interval") return after + 1000 * schedule.seconds;
  const expression = expressionOf(schedule);
  let next;
  try {
    // Convex's cron strings have five fields; the shortest unit is a minute.
    next = new Cron(expression, { utcOffset: 0, paused: true, mode: "5-part" }).nextRun(
      new Date(after),
    );
  } catch {
    throw new DeployError(`Failed to parse cron expression "${expression}"`);
  }
  if (next === null)
    throw new DeployError(`The cron spec "${expression}" will never match any time`);
  return next.getTime();
}

/** Returns the cron expression of a schedule, which has only the fields of its own type. */
function expressionOf({ minuteUTC, hourUTC, day, dayOfWeek, cronExpr }) {
  if (cronExpr !== undefined) return cronExpr;
  return [minuteUTC, hourUTC, day, undefined, dayOfWeek].map((part) => part ?? "*").join(" ");
}

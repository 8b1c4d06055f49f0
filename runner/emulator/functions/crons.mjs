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
 * Runs cron jobs on a clock. A job with an interval first runs after one interval, so that no job runs at the
 * beginning of a test.
 */
export class CronRunner {
  #clock;
  #run;
  #cancel = [];

  /**
   * @param {import("../clock.mjs").Clock} clock
   * @param {(cron: Installed) => void} run
   */
  constructor(clock, run) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Cancels all jobs, and starts `crons` from now on. */
  start(crons) {
    for (const cancel of this.#cancel) cancel();
    this.#cancel = crons.map((cron, index) => this.#arm(cron, index, this.#clock.now));
  }

  #arm(cron, index, after) {
    const at = nextRun(cron.schedule, after);
    return this.#clock.at(at, () => {
      this.#cancel[index] = this.#arm(cron, index, at);
      this.#run(cron);
    });
  }
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

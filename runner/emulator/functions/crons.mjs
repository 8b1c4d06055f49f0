// Jobs that repeat: checked at deploy, reported in the real backend's units, run on the clock.

import { Cron } from "croner";

import { DeployError } from "../errors.mjs";

/**
 * @typedef {{ identifier: string, path: string, args: object, schedule: object }} CronSpec
 *   schedule is as the real backend stores it
 * @typedef {CronSpec & { target: import("../project/components.mjs").Target }} Installed a job of one component
 */

const UNITS = { seconds: 1, minutes: 60, hours: 3600 };
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Reads what the default export of crons.ts exports as text; null where it holds no cron jobs. */
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

/** Sees that every job names a mutation or action of the project, and a time that comes. */
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

/** Returns a path as callers say it: `tasks:sweep` for `tasks.js:sweep`. */
export function callablePath(path) {
  const [module, name = "default"] = path.split(":");
  return `${module.replace(/\.js$/, "")}:${name}`;
}

/** Returns a path as the real backend stores it: `tasks.js:sweep` for `tasks:sweep`. */
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
      // Where no minute was said, the real backend picks one.
      return { minuteUTC: 0, ...schedule };
  }
}

/**
 * Runs the jobs of a project on a clock. An interval runs for the first time when it has passed
 * once, so that every test starts from rest.
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

  /** Forgets what was armed and arms `crons` from now on. */
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

/** Returns when a schedule runs next after a time, both in milliseconds since the epoch. */
function nextRun(schedule, after) {
  if (schedule.type === "interval") return after + 1000 * schedule.seconds;
  const expression = expressionOf(schedule);
  let next;
  try {
    // Convex's cron strings have five fields, a minute being the shortest.
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

function expressionOf({ type, minuteUTC, hourUTC, dayOfWeek, day, cronExpr }) {
  switch (type) {
    case "hourly":
      return `${minuteUTC} * * * *`;
    case "daily":
      return `${minuteUTC} ${hourUTC} * * *`;
    case "weekly":
      return `${minuteUTC} ${hourUTC} * * ${dayOfWeek}`;
    case "monthly":
      return `${minuteUTC} ${hourUTC} ${day} * *`;
    default:
      return cronExpr;
  }
}

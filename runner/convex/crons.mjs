// Jobs that repeat: checked at deploy, reported in the real backend's units, run on the clock.

import { Cron } from "croner";

import { DeployError } from "./errors.mjs";

/**
 * @typedef {{ identifier: string, path: string, args: object, schedule: object }} CronSpec
 */

const UNITS = { seconds: 1, minutes: 60, hours: 3600 };
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Sees that every job names a mutation or action of the project. */
export function checkCrons(project) {
  for (const cron of project.crons) {
    const path = functionPath(cron.path);
    const target = project.functions.get(path);
    if (!target || target.kind === "query") {
      throw new DeployError(
        `The cron job "${cron.identifier}" schedules "${path}", which is not a mutation or action`,
      );
    }
    if (cron.schedule.type === "cron") parse(cron);
  }
}

/** Returns a path as function calls name it: `tasks:sweep` for `tasks.js:sweep`. */
export function functionPath(path) {
  const [module, name = "default"] = path.split(":");
  return `${module.replace(/\.js$/, "")}:${name}`;
}

/** Returns a schedule as the real backend stores it. */
export function reported(schedule) {
  if (schedule.type !== "interval") return schedule;
  return { type: "interval", seconds: intervalSeconds(schedule) };
}

/** Runs the jobs of a project on a clock. */
export class CronRunner {
  #clock;
  #run;
  #cancel = [];

  /**
   * @param {import("./clock.mjs").Clock} clock
   * @param {(cron: CronSpec) => void} run
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
    const at = next(cron, after);
    return this.#clock.at(at, () => {
      this.#cancel[index] = this.#arm(cron, index, at);
      this.#run(cron);
    });
  }
}

function next(cron, after) {
  if (cron.schedule.type === "interval") return after + 1000 * intervalSeconds(cron.schedule);
  return parse(cron).nextRun(new Date(after)).getTime();
}

function intervalSeconds(schedule) {
  for (const [unit, seconds] of Object.entries(UNITS)) {
    if (schedule[unit] !== undefined) return schedule[unit] * seconds;
  }
  throw new DeployError(`Not an interval: ${JSON.stringify(schedule)}`);
}

function parse(cron) {
  const expression = expressionOf(cron.schedule);
  try {
    return new Cron(expression, { timezone: "UTC", paused: true });
  } catch (error) {
    throw new DeployError(`The cron job "${cron.identifier}" has the schedule "${expression}": ${error.message}`);
  }
}

function expressionOf(schedule) {
  const { minuteUTC: minute, hourUTC: hour } = schedule;
  switch (schedule.type) {
    case "hourly":
      return `${minute} * * * *`;
    case "daily":
      return `${minute} ${hour} * * *`;
    case "weekly":
      return `${minute} ${hour} * * ${DAYS.indexOf(schedule.dayOfWeek)}`;
    case "monthly":
      return `${minute} ${hour} ${schedule.day} * *`;
    case "cron":
      return schedule.cron;
    default:
      throw new DeployError(`Unknown schedule: ${JSON.stringify(schedule)}`);
  }
}

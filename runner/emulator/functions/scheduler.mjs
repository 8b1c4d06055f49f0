// The scheduler, which runs each scheduled function once, when it is due.

import { convexToJson } from "convex/values";

/**
 * A scheduled call. target is the function; component is the component that has the job's document.
 *
 * @typedef {{ id: string, at: number, component: string,
 *   target: import("../project/components.mjs").Target }} Job
 */

export class Scheduler {
  #parts;
  /** The number of resets, so that jobs from before a reset are recognized and not run. */
  #life = 0;

  /**
   * @param {{ clock: import("../clock.mjs").Clock, database: import("../data/database.mjs").Database,
   *   executor: () => import("./executor.mjs").Executor }} parts
   */
  constructor(parts) {
    this.#parts = parts;
  }

  reset() {
    this.#life += 1;
  }

  /**
   * Sets timers for the jobs of a committed transaction, which run when they are due.
   *
   * @param {Job[]} jobs
   */
  arm(jobs) {
    const life = this.#life;
    for (const job of jobs) {
      this.#parts.clock.at(job.at, () => {
        if (life === this.#life) void this.#parts.executor().job(() => this.#run(job));
      });
    }
  }

  async #run(job) {
    const document = await this.#change(job, ["pending"], { state: { kind: "inProgress" } });
    if (!document) return;
    const args = convexToJson(document.args[0] ?? {});
    const outcome = await this.#parts.executor().internal(job.target, args, job);
    const state = outcome.success
      ? { kind: "success" }
      : { kind: "failed", error: outcome.errorMessage.replace(/^.*Server Error\n/, "").trimEnd() };
    await this.#change(job, ["inProgress"], { state, completedTime: this.#parts.clock.now });
  }

  /** Changes a job if it is in one of these states; returns its old document, or null. */
  #change({ id, component }, states, value) {
    const change = async () => {
      const row = this.#parts.database.get(id);
      if (!row || !states.includes(row.document.state.kind)) return null;
      this.#parts.database.replace(row, { ...row.document, ...value });
      return row.document;
    };
    return this.#parts.executor().transact("mutation", change, component);
  }
}

// Runs scheduled functions when they are due, as the real backend does: mutations until they are
// through, actions at most once.

import { convexToJson } from "convex/values";

import { outside } from "./contexts.mjs";

export class Scheduler {
  #clock;
  #database;
  #executor;
  /** Counts resets: jobs of an earlier life are nothing to this one. */
  #life = 0;

  /**
   * @param {{ clock: import("./clock.mjs").Clock, database: import("./database.mjs").Database,
   *   executor: () => import("./executor.mjs").Executor }} parts
   */
  constructor({ clock, database, executor }) {
    this.#clock = clock;
    this.#database = database;
    this.#executor = executor;
  }

  reset() {
    this.#life += 1;
  }

  /** Sees that jobs of a committed transaction run when they are due. */
  arm(jobs) {
    const life = this.#life;
    for (const { id, at } of jobs) {
      this.#clock.at(at, () => {
        if (life === this.#life) void outside(() => this.#executor().job(() => this.#run(id)));
      });
    }
  }

  async #run(id) {
    const job = await this.#change(id, ["pending"], { state: { kind: "inProgress" } });
    if (!job) return;
    const outcome = await this.#executor().internal(job.name, convexToJson(job.args[0] ?? {}), id);
    const state = outcome.success
      ? { kind: "success" }
      : { kind: "failed", error: outcome.errorMessage.replace(/^.*Server Error\n/, "").trimEnd() };
    await this.#change(id, ["inProgress"], { state, completedTime: this.#clock.now });
  }

  /** Changes a job that is in one of these states; returns it as it was, or null. */
  #change(id, states, value) {
    const executor = this.#executor();
    return executor.transact("mutation", async () => {
      const row = this.#database.get(id);
      if (!row || !states.includes(row.document.state.kind)) return null;
      this.#database.replace(row, { ...row.document, ...value });
      executor.wrote();
      return row.document;
    });
  }
}

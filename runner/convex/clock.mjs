// The time that functions see: it flows like real time, and can be moved forward.
//
// Timers of model code and of the emulator's scheduler live on it, so moving it runs what falls
// due, in order, and waits for it before it moves on.

import FakeTimers from "@sinonjs/fake-timers";

const realSetTimeout = globalThis.setTimeout;
const RealDate = globalThis.Date;
const FLOW_MS = 10;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How long running functions may go on while others wait on the clock. */
const GRACE_MS = 15;
/** How long functions that wait on nothing of ours may run before a move gives up on them. */
const PATIENCE_MS = 20_000;

const sleep = (ms) => new Promise((resolve) => realSetTimeout(resolve, ms));

export class Clock {
  #timers;
  #wait;

  /** @param {() => Promise<void>} wait resolves when no scheduled function is running */
  constructor(wait) {
    this.#wait = wait;
    this.#timers = FakeTimers.install({
      now: RealDate.now(),
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"],
      shouldAdvanceTime: true,
      advanceTimeDelta: FLOW_MS,
    });
  }

  /** Milliseconds since the epoch. */
  get now() {
    return this.#timers.now;
  }

  /** Forgets every timer and goes back to real time. */
  reset() {
    this.#timers.reset();
    this.#timers.setSystemTime(RealDate.now());
  }

  /** Calls `run` at `at`, however far away that is; returns a function that cancels it. */
  at(at, run) {
    let timer;
    const arm = () => {
      const left = at - this.now;
      timer =
        left > LONGEST_TIMER_MS
          ? globalThis.setTimeout(arm, LONGEST_TIMER_MS)
          : globalThis.setTimeout(run, Math.max(0, left));
    };
    arm();
    return () => globalThis.clearTimeout(timer);
  }

  /** Moves to `target`, running all that falls due on the way. */
  async advanceTo(target) {
    for (;;) {
      await this.#quiet(target);
      const next = this.#next();
      if (next === undefined || next > target) break;
      this.#timers.tick(Math.max(0, next - this.now));
    }
    if (target > this.now) this.#timers.tick(target - this.now);
    await this.#quiet(target);
  }

  /** Runs what is due now and waits until nothing runs any more. */
  async settle() {
    const deadline = RealDate.now() + PATIENCE_MS;
    do {
      this.#timers.tick(0);
      await this.#quiet(this.now);
    } while (this.#next() <= this.now && RealDate.now() < deadline);
  }

  #next() {
    const due = Object.values(this.#timers.timers ?? {}).map((timer) => timer.callAt);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  /** Waits for running functions: to their end, or until they can only wait on the clock. */
  async #quiet(target) {
    await sleep(0);
    const next = this.#next();
    const patience = next !== undefined && next <= target ? GRACE_MS : PATIENCE_MS;
    await Promise.race([this.#wait(), sleep(patience)]);
  }
}

// The deployment's clock, which functions see: it runs like real time, and can be moved forward.
//
// While the clock is moved forward, it stops at the time of each timer, until the functions that run have
// ended or only wait for timers themselves.

import { setImmediate as ownTurn, setTimeout as sleep } from "node:timers/promises";

const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** After this many looks in a row at which all functions slept, the deployment counts as quiet. */
const CALM_LOOKS = 4;
const LOOK_MS = 1;
/** The longest wait for a message of functions between two looks. */
const LONGEST_LOOK_MS = 5;
/** The longest wait for functions that do not end, and the longest time of a whole move. */
const PATIENCE_MS = 10_000;
const LONGEST_MOVE_MS = 30_000;
/** The most milliseconds that count between two looks; on a busy machine the rest is a wait for a processor. */
const LONGEST_COUNTED_MS = 2 * LONGEST_LOOK_MS;
/** Times of jobs come as seconds, and are less exact than milliseconds. */
const ROUNDING_MS = 0.01;

export class Clock {
  #offset = 0;
  /** @type {number | null} the time at which the clock stands while it is moved; null while it runs */
  #standing = null;
  /** @type {Map<number, { due: number, run: () => void }>} in the order in which they were set */
  #timers = new Map();
  #nextId = 1;
  /** @type {NodeJS.Timeout | undefined} */
  #alarm;
  #moves = Promise.resolve();
  #backend;

  /**
   * @param {{ busy: () => "idle" | "asleep" | "awake", turn: () => Promise<boolean>,
   *   heard: (ms: number) => Promise<void>,
   *   changed: (time: { standing: number | null, offset: number }) => void }} backend busy returns whether no
   *   function runs ("idle"), all that run wait for timers ("asleep"), or others run ("awake"); turn lets
   *   functions run, and returns true if they sent no message; heard waits for a message of functions, at
   *   most ms milliseconds; changed is called with the new state of this clock
   */
  constructor(backend) {
    this.#backend = backend;
  }

  /** The time in milliseconds since the epoch. */
  get now() {
    return this.#standing ?? Date.now() + this.#offset;
  }

  /** Sets a timer that calls `run` at the time `due`; returns a function that cancels the timer. */
  at(due, run) {
    const id = this.#nextId++;
    this.#timers.set(id, { due, run });
    this.#arm();
    return () => {
      this.#timers.delete(id);
      this.#arm();
    };
  }

  /** Removes all timers and returns to real time. */
  reset() {
    this.#timers.clear();
    this.#offset = 0;
    this.#tell();
    this.#arm();
  }

  /** Moves forward to `target`, and runs the timers that become due; never moves back. */
  advanceTo(target) {
    return this.#inTurn(() => this.#move(target));
  }

  /**
   * Runs the timers that are due now, and waits until all functions have ended or wait for timers.
   *
   * @param {() => Promise<void>} [work] runs after this, before the clock runs on
   */
  settle(work) {
    return this.#inTurn(async () => {
      this.#stand(this.now);
      const stood = Date.now();
      // Functions that run see the standing clock only when they have heard of it: what they schedule until
      // then for their own present is due, too.
      if (this.#backend.busy() !== "idle") {
        await Promise.race([this.#backend.turn(), sleep(PATIENCE_MS)]);
      }
      await this.#move(this.now + Date.now() - stood, work);
    });
  }

  #inTurn(move) {
    const moved = this.#moves.then(move);
    this.#moves = moved.catch(() => {});
    return moved;
  }

  async #move(target, work = async () => {}) {
    this.#stand(this.now);
    let spent = 0;
    try {
      do {
        spent += await this.#quiet();
      } while (this.#fire(target) && spent < LONGEST_MOVE_MS);
      await work();
    } finally {
      this.#offset = Math.max(this.now, target) - Date.now();
      this.#standing = null;
      this.#tell();
      this.#arm();
    }
  }

  /** Stops the clock at a time. */
  #stand(time) {
    this.#standing = time;
    this.#tell();
  }

  #tell() {
    this.#backend.changed({ standing: this.#standing, offset: this.#offset });
  }

  /** Runs the first timer that is due by `target`, at its own time; returns false if there is none. */
  #fire(target) {
    const first = this.#first();
    if (!first || first.due > target + ROUNDING_MS) return false;
    this.#stand(Math.max(this.now, first.due));
    this.#timers.delete(first.id);
    first.run();
    return true;
  }

  /**
   * Waits until no function runs, or all that run wait for timers; at most PATIENCE_MS. Returns the
   * milliseconds of the wait, without long waits for a processor.
   */
  async #quiet() {
    let spent = 0;
    let calm = 0;
    while (spent < PATIENCE_MS) {
      const before = Date.now();
      const state = await this.#look(PATIENCE_MS - spent);
      if (state === "stuck") return PATIENCE_MS;
      spent += Math.min(Date.now() - before, LONGEST_COUNTED_MS);
      if (state === "idle") return spent;
      calm = state === "calm" ? calm + 1 : 0;
      if (calm > CALM_LOOKS) return spent;
    }
    return spent;
  }

  /**
   * Checks which functions run, and lets them run for a moment.
   *
   * @param {number} patience the most milliseconds to wait for a sign of the process that runs functions
   * @returns {Promise<"idle" | "calm" | "awake" | "stuck">} calm if all functions wait for timers, stuck if
   *   the process does not answer
   */
  async #look(patience) {
    await ownTurn();
    const before = this.#backend.busy();
    if (before === "idle") return "idle";
    if (before === "awake") {
      await this.#backend.heard(LONGEST_LOOK_MS);
      return "awake";
    }
    const still = await Promise.race([this.#backend.turn(), sleep(patience, null)]);
    if (still === null) return "stuck";
    if (this.#backend.busy() !== "asleep" || !still) return "awake";
    await sleep(LOOK_MS);
    return "calm";
  }

  #first() {
    let first;
    for (const [id, timer] of this.#timers) {
      if (!first || timer.due < first.due) first = { id, ...timer };
    }
    return first;
  }

  #arm() {
    clearTimeout(this.#alarm);
    const first = this.#standing === null ? this.#first() : undefined;
    if (!first) return;
    const wait = Math.min(Math.max(0, first.due - this.now), LONGEST_TIMER_MS);
    this.#alarm = setTimeout(() => {
      if (this.#standing === null) {
        const before = this.now;
        for (let due = this.#first(); due && due.due <= before; due = this.#first()) {
          this.#timers.delete(due.id);
          due.run();
        }
        this.#arm();
      }
    }, wait);
    this.#alarm.unref();
  }
}

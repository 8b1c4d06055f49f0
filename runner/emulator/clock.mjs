// The time that functions see: it flows like real time, and can be moved forward.
//
// While it moves, it stands still at each thing that falls due until all that runs has come to its
// end, or waits for the clock itself.

const RealDate = globalThis.Date;
const { setTimeout, clearTimeout, setImmediate } = globalThis;

const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How often in a row nothing but sleepers must be seen. */
const CALM_LOOKS = 4;
const LOOK_MS = 1;
/** How long at most it waits for functions to say something before it looks again. */
const LONGEST_LOOK_MS = 5;
/** How long a move waits for functions that do not end, and how long it may take as a whole. */
const PATIENCE_MS = 10_000;
const LONGEST_MOVE_MS = 30_000;
/** What counts at most of the time between two looks: on a busy machine it is spent in waiting for a processor. */
const LONGEST_COUNTED_MS = 2 * LONGEST_LOOK_MS;

const ownTurn = () => new Promise((resolve) => setImmediate(resolve));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Clock {
  #offset = 0;
  /** @type {number | null} where it stands while it is moved */
  #standing = null;
  /** @type {Map<number, { due: number, run: () => void }>} in the order they were set */
  #timers = new Map();
  #nextId = 1;
  /** @type {NodeJS.Timeout | undefined} */
  #alarm;
  #moves = Promise.resolve();
  #busy;
  #turn;
  #heard;
  #changed;

  /**
   * @param {{ busy: () => "idle" | "asleep" | "awake", turn: () => Promise<boolean>,
   *   heard: (ms: number) => Promise<void>,
   *   changed: (time: { standing: number | null, offset: number }) => void }} backend says what runs:
   *   nothing, only sleepers, more; gives functions a turn, and tells whether they did nothing with it;
   *   waits until functions have said something, or for so long; is told how its time goes on
   */
  constructor({ busy, turn, heard, changed }) {
    this.#busy = busy;
    this.#turn = turn;
    this.#heard = heard;
    this.#changed = changed;
  }

  /** Milliseconds since the epoch. */
  get now() {
    return this.#standing ?? RealDate.now() + this.#offset;
  }

  /** Calls `run` at `due`; returns a function that cancels it. */
  at(due, run) {
    const id = this.#nextId++;
    this.#timers.set(id, { due, run });
    this.#arm();
    return () => {
      this.#timers.delete(id);
      this.#arm();
    };
  }

  /** Forgets every timer and goes back to real time. */
  reset() {
    this.#timers.clear();
    this.#offset = 0;
    this.#tell();
    this.#arm();
  }

  /** Moves to `target`, running all that falls due on the way; never back. */
  advanceTo(target) {
    return this.#inTurn(() => this.#move(target));
  }

  /** Runs what is due now, and waits until nothing runs any more but what waits for the clock. */
  settle() {
    return this.#inTurn(() => this.#move(this.now));
  }

  #inTurn(move) {
    const moved = this.#moves.then(move);
    this.#moves = moved.catch(() => {});
    return moved;
  }

  async #move(target) {
    this.#stand(this.now);
    let spent = 0;
    try {
      do {
        spent += await this.#quiet();
      } while (this.#fire(target) && spent < LONGEST_MOVE_MS);
    } finally {
      this.#offset = Math.max(this.now, target) - RealDate.now();
      this.#standing = null;
      this.#tell();
      this.#arm();
    }
  }

  /** Stands still at a time. */
  #stand(time) {
    this.#standing = time;
    this.#tell();
  }

  #tell() {
    this.#changed({ standing: this.#standing, offset: this.#offset });
  }

  /** Runs the first timer that is due by `target`, at its own time; says whether there was one. */
  #fire(target) {
    const first = this.#first();
    if (!first || first.due > target) return false;
    this.#stand(Math.max(this.now, first.due));
    this.#timers.delete(first.id);
    first.run();
    return true;
  }

  /** Waits until nothing runs but sleepers, or for too long; returns how long, without waits for a processor. */
  async #quiet() {
    let spent = 0;
    let calm = 0;
    while (spent < PATIENCE_MS) {
      const before = RealDate.now();
      const state = await this.#look(PATIENCE_MS - spent);
      if (state === "stuck") return PATIENCE_MS;
      spent += Math.min(RealDate.now() - before, LONGEST_COUNTED_MS);
      if (state === "idle") return spent;
      calm = state === "calm" ? calm + 1 : 0;
      if (calm > CALM_LOOKS) return spent;
    }
    return spent;
  }

  /**
   * Looks at what runs, and gives it a moment.
   *
   * @param {number} patience how long it may keep from answering, in milliseconds
   * @returns {Promise<"idle" | "calm" | "awake" | "stuck">} calm where nothing but sleepers was seen
   */
  async #look(patience) {
    await ownTurn();
    const before = this.#busy();
    if (before === "idle") return "idle";
    if (before === "awake") {
      await this.#heard(LONGEST_LOOK_MS);
      return "awake";
    }
    const still = await Promise.race([this.#turn(), sleep(patience).then(() => null)]);
    if (still === null) return "stuck";
    if (this.#busy() !== "asleep" || !still) return "awake";
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

/** Makes a Date whose present is what `now` returns. */
export function makeDate(now) {
  return new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
}

// The clock of a test: the globals of its process, which vitest may have put fakes in the place of.

export class TestClock {
  #pending = 0;

  /** Milliseconds since the epoch. */
  get now() {
    return Date.now();
  }

  /** Whether something is due that has not begun. */
  get isPending() {
    return this.#pending > 0;
  }

  /** Calls `run` at `due`; returns a function that cancels it. */
  at(due, run) {
    this.#pending += 1;
    const timer = setTimeout(
      () => {
        this.#pending -= 1;
        run();
      },
      Math.max(0, Math.round(due - Date.now())),
    );
    return () => {
      this.#pending -= 1;
      clearTimeout(timer);
    };
  }
}

// The lines that functions log, of all kinds of calls, kept until somebody takes them.

const MOST_LINES = 1000;
const LONGEST_LINE = 2000;

export class Log {
  /** @type {{ kind: string, path: string, line: string }[]} */
  #lines = [];
  #leftOut = 0;

  /**
   * Keeps a line of a function; beyond the most lines it only counts.
   *
   * @param {{ kind: string, path: string }} execution
   * @param {string} line
   */
  add({ kind, path }, line) {
    if (this.#lines.length < MOST_LINES) {
      this.#lines.push({ kind, path, line: line.slice(0, LONGEST_LINE) });
    } else {
      this.#leftOut += 1;
    }
  }

  /** Returns the lines since the last call, oldest first, and how many more there were. */
  take() {
    const taken = { lines: this.#lines, leftOut: this.#leftOut };
    this.#lines = [];
    this.#leftOut = 0;
    return taken;
  }
}

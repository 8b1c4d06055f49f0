// The lines that functions log in all kinds of calls; they are kept until they are taken.

const MOST_LINES = 1000;
const LONGEST_LINE = 2000;

export class Log {
  /** @type {{ kind: string, path: string, line: string }[]} */
  #lines = [];
  #leftOut = 0;

  /**
   * Stores a line of a function; after the first MOST_LINES lines it only counts.
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

  /** Returns the lines since the last call, the oldest first, and the number of lines that were left out. */
  take() {
    const taken = { lines: this.#lines, leftOut: this.#leftOut };
    this.#lines = [];
    this.#leftOut = 0;
    return taken;
  }
}

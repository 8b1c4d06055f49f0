// Rows of a call's queries, which the backend gives in batches: a question for each row would cost more
// than the row.

/**
 * @typedef {{ query: object | null, rows: string[], place: number, isDone: boolean,
 *   asking: Promise<void> | null }} Stream query is there until it was sent; rows are JSON
 */

export class Streams {
  /** @type {Map<number, Stream>} */
  #open = new Map();
  /** @type {Map<number, number>} rows that were taken since the backend was told */
  #taken = new Map();
  #writes = 0;

  /** Notes a query; the backend has it with the first question for its rows. */
  open(queryId, query) {
    this.#open.set(queryId, { query, rows: [], place: 0, isDone: false, asking: null });
  }

  /** Forgets a query; returns whether the backend knows of it. */
  close(queryId) {
    const stream = this.#open.get(queryId);
    this.#open.delete(queryId);
    return stream?.query === null;
  }

  /**
   * Returns the next row as the library wants it, as text.
   *
   * @param {number} queryId
   * @param {(args: object) => Promise<string>} ask asks the backend for rows
   */
  async next(queryId, ask) {
    const stream = this.#open.get(queryId);
    if (!stream) throw new Error("in-progress query not found");
    while (stream.asking) await stream.asking;
    if (stream.place === stream.rows.length && !stream.isDone) {
      stream.asking = this.#fill(stream, queryId, ask);
      try {
        await stream.asking;
      } finally {
        stream.asking = null;
      }
    }
    this.#taken.set(queryId, (this.#taken.get(queryId) ?? 0) + 1);
    if (stream.place === stream.rows.length) return '{"value":null,"done":true}';
    return `{"value":${stream.rows[stream.place++]},"done":false}`;
  }

  async #fill(stream, queryId, ask) {
    const query = stream.query === null ? {} : { query: stream.query };
    stream.query = null;
    const writes = this.#writes;
    const [state, ...rows] = (await ask({ queryId, ...query })).split("\n");
    stream.place = 0;
    // Behind the first, rows from before a write are stale.
    const isStale = writes !== this.#writes;
    stream.rows = isStale ? rows.slice(0, 1) : rows;
    stream.isDone = state === "done" && (!isStale || rows.length === 0);
  }

  /** Forgets the rows that were not taken: the call writes, and the backend is asked anew. */
  drop() {
    this.#writes += 1;
    for (const stream of this.#open.values()) {
      if (stream.asking) continue;
      stream.rows = [];
      stream.place = 0;
      stream.isDone = false;
    }
  }

  /** Returns the rows that were taken since it was called last, by query. */
  takeCounts() {
    const counts = [...this.#taken];
    this.#taken.clear();
    return counts;
  }
}

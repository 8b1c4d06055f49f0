// The rows of a call's queries. The backend sends them in batches, because a request for each row would take
// more time than the row.

/**
 * @typedef {{ query: object | null, rows: string[], place: number, isDone: boolean,
 *   asking: Promise<void> | null }} Stream query is null after it was sent; rows are JSON
 */

export class Streams {
  /** @type {Map<number, Stream>} */
  #open = new Map();
  /** @type {Map<number, number>} the number of rows that were taken since the last report to the backend */
  #taken = new Map();
  #writes = 0;

  /** Stores a query; it is sent to the backend with the first request for its rows. */
  open(queryId, query) {
    this.#open.set(queryId, { query, rows: [], place: 0, isDone: false, asking: null });
  }

  /** Removes a query; returns true if it was sent to the backend. */
  close(queryId) {
    const stream = this.#open.get(queryId);
    this.#open.delete(queryId);
    return stream?.query === null;
  }

  /**
   * Returns the next row as text, in the form that the library reads.
   *
   * @param {number} queryId
   * @param {(args: object) => Promise<string>} ask requests rows of the backend
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
    // After a write during the request, only the first row is used; the others may be stale.
    const isStale = writes !== this.#writes;
    stream.rows = isStale ? rows.slice(0, 1) : rows;
    stream.isDone = state === "done" && (!isStale || rows.length === 0);
  }

  /** Drops the rows that were not taken, because the call writes; they are requested again. */
  drop() {
    this.#writes += 1;
    for (const stream of this.#open.values()) {
      if (stream.asking) continue;
      stream.rows = [];
      stream.place = 0;
      stream.isDone = false;
    }
  }

  /** Returns the numbers of rows that were taken since the last call, by query. */
  takeCounts() {
    const counts = [...this.#taken];
    this.#taken.clear();
    return counts;
  }
}

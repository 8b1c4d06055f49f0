// Queries that a function reads row by row: given in batches, and counted as they are taken.

import { Reading } from "./queries.mjs";

/** @typedef {import("./database.mjs").Row} Row */

/** Rows of the first batches. */
const BATCHES = [16, 64, 256];
/** Bytes of documents after which a batch ends. */
const BATCH_BYTES = 2 ** 20;

/** The transaction may not read another row. */
class NoRoom extends Error {}

export class Stream {
  #reading;
  #usage;
  #batches = 0;
  /** The cost of each row given and not taken yet, and where the reading stood behind it. */
  #given = [];
  /** Where the reading stood behind the last row taken. */
  #mark;

  /**
   * @param {import("./queries.mjs").Source} source
   * @param {import("./queries.mjs").Operator[]} operators
   * @param {import("../functions/limits.mjs").Usage} usage
   */
  constructor(source, operators, usage) {
    this.#reading = new Reading(source, operators);
    this.#usage = usage;
    this.#mark = this.#reading.mark();
  }

  /**
   * Returns the rows behind those taken. The end of the query is taken as one more row.
   *
   * @returns {{ rows: Row[], done: boolean }}
   * @throws where the next row passes a limit of the transaction
   */
  next() {
    if (this.#given.length > 0) this.#reading.goBackTo(this.#mark);
    this.#given = [];
    const most = BATCHES[Math.min(this.#batches++, BATCHES.length - 1)];
    const rows = [];
    let documents = 0;
    let bytes = 0;
    while (rows.length < most && bytes < BATCH_BYTES) {
      const cost = { documents: 0, bytes: 0 };
      const looksAt = ({ row: { size } }) => {
        cost.documents += 1;
        cost.bytes += size;
        if (this.#usage.hasRoomFor(documents + cost.documents, bytes + cost.bytes)) return;
        // The first row of a batch is one that the function waits for.
        if (rows.length === 0) this.#usage.read(cost.documents, cost.bytes);
        throw new NoRoom();
      };
      const row = this.#read(looksAt, most - rows.length);
      if (row === undefined) break;
      documents += cost.documents;
      bytes += cost.bytes;
      this.#given.push({ cost, mark: this.#reading.mark() });
      if (!row) return { rows, done: true };
      rows.push(row);
    }
    return { rows, done: false };
  }

  /** Returns the next row, null behind the last, and undefined where there is no room for it. */
  #read(looksAt, hint) {
    const before = this.#reading.mark();
    try {
      return this.#reading.next({ hint, looksAt });
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
      this.#reading.goBackTo(before);
      return undefined;
    }
  }

  /** Counts so many rows more as taken. */
  take(rows) {
    for (const { cost, mark } of this.#given.splice(0, rows)) {
      this.#mark = mark;
      this.#usage.read(cost.documents, cost.bytes);
    }
  }
}

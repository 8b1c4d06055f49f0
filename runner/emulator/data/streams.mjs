// Queries that a function reads row by row. Rows are sent in batches, and count when the function takes them.

import { END } from "../functions/footprints.mjs";
import { Reading } from "./queries.mjs";

/** @typedef {import("./database.mjs").Row} Row */

/** The most rows of the first batches; later batches are like the last of these. */
const BATCHES = [16, 64, 256];
/** Bytes of documents after which a batch ends. */
const BATCH_BYTES = 2 ** 20;

/** The transaction has no room for a further row within its limits. */
class NoRoom extends Error {}

export class Stream {
  #reading;
  #source;
  #usage;
  #read;
  #batches = 0;
  /** The cost of each row that was sent and not taken yet, and the position after this row. */
  #given = [];
  /** The position after the last row that was taken. */
  #mark;

  /**
   * @param {import("./queries.mjs").Source} source
   * @param {import("./queries.mjs").Operator[]} operators
   * @param {import("../functions/execution.mjs").Transaction} transaction
   */
  constructor(source, operators, { usage, reads }) {
    this.#reading = new Reading(source, operators);
    this.#source = source;
    this.#usage = usage;
    this.#read = source.readUntil(null, null);
    reads.push(this.#read);
    this.#mark = this.#reading.mark();
  }

  /**
   * Returns the next batch, which begins after the last row that was taken. The end of the query counts as a
   * row to take.
   *
   * @returns {{ rows: Row[], done: boolean }}
   * @throws if the next row passes a limit of the transaction
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
        // The function waits for the first row of a batch, so this row may pass a limit.
        if (rows.length === 0) this.#usage.read(cost.documents, cost.bytes);
        throw new NoRoom();
      };
      const row = this.#readRow(looksAt, most - rows.length);
      if (row === undefined) break;
      documents += cost.documents;
      bytes += cost.bytes;
      this.#given.push({ cost, mark: this.#reading.mark() });
      if (!row) return { rows, done: true };
      rows.push(row);
    }
    return { rows, done: false };
  }

  /** Returns the next row; null after the last row; undefined if a limit leaves no room for it. */
  #readRow(looksAt, hint) {
    const before = this.#reading.mark();
    try {
      return this.#reading.next({ hint, looksAt });
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
      this.#reading.goBackTo(before);
      return undefined;
    }
  }

  /** Counts the next `rows` rows as taken. */
  take(rows) {
    for (const { cost, mark } of this.#given.splice(0, rows)) {
      this.#mark = mark;
      this.#usage.read(cost.documents, cost.bytes);
      const until = mark.isExhausted ? END : mark.position;
      Object.assign(this.#read, this.#source.readUntil(null, until));
    }
  }
}

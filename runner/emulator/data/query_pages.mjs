// Pages of a query, as the real backend returns them (crates/isolate/src/environment/udf/async_syscall.rs
// and crates/database/src/query).

import { convexToJson, jsonToConvex } from "convex/values";

import { END } from "../functions/footprints.mjs";
import { LIMITS, LONGEST_ARRAY, LimitError } from "../functions/limits.mjs";
import { Reading, fingerprint, sourceOf } from "./queries.mjs";

/** @typedef {import("./ordered_index.mjs").Key} Key */

/** The part of a limit after which a page should be split. */
const SOFT = 0.75;
/** A page with this number of rows, or fewer, has no middle. */
const NO_MIDDLE = 2;

/**
 * @typedef {{ query: any, cursor: string | null, endCursor?: string | null, pageSize: number,
 *   maximumRowsRead?: number | null, maximumBytesRead?: number | null }} Asked
 */

/**
 * Reads a page.
 *
 * @param {Asked} asked
 * @param {import("./database.mjs").Database} database
 * @param {import("../project/project.mjs").Project} project
 * @param {import("../functions/execution.mjs").Transaction} transaction
 */
export function readPage(asked, database, project, { usage, reads }) {
  check(asked);
  const { query, pageSize } = asked;
  const source = sourceOf(query.source, database, project);
  const print = fingerprint(query, source);
  const start = decode(asked.cursor, print);
  const end = decode(asked.endCursor, print);
  usage.range();
  if (start === END) {
    return {
      page: [],
      isDone: true,
      continueCursor: encode(END, print),
      splitCursor: null,
      pageStatus: null,
    };
  }
  const reading = new Reading(source, query.operators, start);
  const budget = new Budget(reading, end === null ? asked : {});
  const page = [];
  /** @type {"SplitRequired" | "SplitRecommended" | null} */
  let pageStatus = null;
  try {
    while (end !== null || page.length < pageSize) {
      const row = reading.next({
        hint: end === null ? pageSize - page.length : pageSize,
        mayFetch: (most) => budget.limit(most),
        looksAt: (entry) => {
          if (Array.isArray(end) && source.isBehind(entry.key, end)) throw new EndOfPage();
          budget.check();
          usage.read(1, entry.row.size);
          budget.read(entry);
        },
      });
      if (!row) break;
      page.push(row);
    }
  } catch (error) {
    if (error instanceof LimitError && reading.position !== null) pageStatus = "SplitRequired";
    else if (!(error instanceof EndOfPage)) throw error;
  }
  if (pageStatus === null && (budget.isNearlyUsed || page.length > SOFT * LONGEST_ARRAY))
    pageStatus = "SplitRecommended";
  const position = end ?? (reading.isDone ? END : reading.position);
  reads.push(source.readUntil(start, position));
  return {
    page: page.map(({ json }) => json),
    isDone: position === END,
    continueCursor: encode(position, print),
    splitCursor: query.source.type === "Search" ? null : budget.middle(print),
    pageStatus,
  };
}

/** Ends the reading of a page at its end cursor. */
class EndOfPage extends Error {}

/** @param {Asked} asked */
function check({ pageSize, maximumRowsRead, maximumBytesRead }) {
  for (const [name, value] of Object.entries({ pageSize, maximumRowsRead, maximumBytesRead })) {
    const isCount = Number.isInteger(value) && Number(value) >= 0;
    // Only the beginning of the real backend's message is known.
    if (value !== undefined && value !== null && !isCount)
      throw new Error(`Invalid arguments for \`queryPage\`: \`${name}\` is no count: ${value}`);
  }
  if (pageSize === 0) throw new Error("Must request at least 1 document while paginating");
  // The real backend's message is longer; the source that we read does not have its end.
  if (pageSize > LIMITS.documentsRead)
    throw new Error(`Requested too many items (${pageSize} > maximum ${LIMITS.documentsRead})`);
  if (maximumRowsRead === 0 || maximumBytesRead === 0)
    throw new Error("maximumRowsRead and maximumBytesRead must be greater than 0");
}

/** The limits of a page, and the rows and bytes that it has read. */
class Budget {
  #reading;
  #rows;
  #bytes;
  #bytesRead = 0;
  /** @type {Key[]} the keys of the rows that were examined */
  #keys = [];

  /**
   * @param {Reading} reading
   * @param {Partial<Asked>} asked
   */
  constructor(reading, { maximumRowsRead, maximumBytesRead }) {
    this.#reading = reading;
    this.#rows = maximumRowsRead ?? Infinity;
    this.#bytes = maximumBytesRead ?? Infinity;
  }

  /** Returns the number of rows that may be read from the source now. Throws if there is none. */
  limit(most) {
    const left = this.#rows - this.#reading.rowsRead;
    if (left <= 0)
      throw new LimitError(`Query scanned too many documents (fetched ${this.#rows}).`);
    return Math.min(most, left);
  }

  /** Throws if the limit of bytes was reached, so that no further row is examined. */
  check() {
    if (this.#bytesRead < this.#bytes) return;
    throw new LimitError(`Query scanned too much data (fetched ${this.#bytesRead} bytes).`);
  }

  read({ key, row }) {
    this.#bytesRead += row.size;
    this.#keys.push(key);
  }

  get isNearlyUsed() {
    return (
      this.#reading.rowsRead > Math.floor(SOFT * Math.min(this.#rows, LIMITS.documentsRead)) ||
      this.#bytesRead > Math.floor(SOFT * Math.min(this.#bytes, LIMITS.bytesRead))
    );
  }

  /** Returns a cursor in the middle of the examined rows; null if there are too few rows. */
  middle(print) {
    if (this.#keys.length <= NO_MIDDLE) return null;
    return encode(this.#keys[Math.floor(this.#keys.length / 2)], print);
  }
}

// --- Cursors -------------------------------------------------------------------------------------

/** @param {Key | typeof END | null} position */
function encode(position, print) {
  const after =
    position === END || position === null
      ? position
      : position.map((value) => (value === undefined ? null : [convexToJson(value)]));
  return Buffer.from(JSON.stringify([print, after])).toString("base64url");
}

/**
 * @param {string | null | undefined} cursor
 * @returns {Key | typeof END | null}
 */
function decode(cursor, print) {
  if (cursor === null || cursor === undefined) return null;
  let parts;
  try {
    parts = JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    throw invalid("Failed to parse cursor");
  }
  if (!Array.isArray(parts)) throw invalid("Failed to parse cursor");
  const [other, after] = parts;
  if (other !== print) {
    throw invalid(
      "Tried to run a query starting from a cursor, but it looks like this cursor is from a " +
        "different query.",
    );
  }
  if (after === END || after === null) return after;
  return after.map((value) => (value === null ? undefined : jsonToConvex(value[0])));
}

/** Returns the ConvexError after which `usePaginatedQuery` begins again. */
function invalid(why) {
  const data = { isConvexSystemError: true, paginationError: "InvalidCursor" };
  return Object.assign(new Error(`InvalidCursor: ${why}`), { data });
}

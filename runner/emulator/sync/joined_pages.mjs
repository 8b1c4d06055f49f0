// Pages of paginated queries that stay adjacent when documents are added.
//
// The first run of a paginated query decides the cursor at which its page ends. The query's journal has this
// cursor, and later runs, also on a new connection, read up to it, however many documents there are. So
// adjacent pages neither overlap nor leave a gap.

/** Returns the arguments with the end cursor of the journal, if it has one. */
export function withFixedEnd(args, journal) {
  const end = fixedEnd(args, journal);
  if (end === null || args.paginationOpts.endCursor === end) return args;
  return { ...args, paginationOpts: { ...args.paginationOpts, endCursor: end } };
}

/** Returns the journal of a query after a run with these arguments; null if the query has no pages. */
export function journalOf(args, journal, value) {
  if (!asksForPage(args) || !isPage(value)) return null;
  return JSON.stringify({ endCursor: fixedEnd(args, journal) ?? value.continueCursor });
}

/** Returns a page whose end is the journal's end cursor, also if the document at the cursor was deleted. */
export function endedWhereFixed(args, journal, value) {
  const end = isPage(value) ? fixedEnd(args, journal) : null;
  if (end === null || value.pageStatus === "SplitRequired") return value;
  const isDone = end === END || (value.isDone && value.continueCursor === end);
  return { ...value, continueCursor: end, isDone };
}

/** The cursor at the end of a page of convex-helpers; at the end of Convex's own pages, the page is done. */
const END = "_end_cursor";

function fixedEnd(args, journal) {
  if (!asksForPage(args)) return null;
  const asked = args.paginationOpts.endCursor;
  if (typeof asked === "string") return asked;
  if (!journal) return null;
  try {
    const { endCursor } = JSON.parse(journal);
    return typeof endCursor === "string" ? endCursor : null;
  } catch {
    return null; // The client sends the journal; a journal that we did not make is ignored.
  }
}

function asksForPage(args) {
  return "numItems" in Object(args?.paginationOpts);
}

function isPage(value) {
  const { page, isDone, continueCursor } = Object(value);
  return Array.isArray(page) && typeof isDone === "boolean" && typeof continueCursor === "string";
}

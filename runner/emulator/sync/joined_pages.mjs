// Pages that stay joined while they grow.
//
// The first run of a paginated query decides where its page ends. That cursor goes into the
// query's journal, and later runs (also on a new connection) read up to it however many documents
// that are by then: so neighbouring pages neither overlap nor leave a gap.

/** Returns the arguments with the page's end fixed where the journal has it. */
export function withFixedEnd(args, journal) {
  const end = fixedEnd(args, journal);
  if (end === null || args.paginationOpts.endCursor === end) return args;
  return { ...args, paginationOpts: { ...args.paginationOpts, endCursor: end } };
}

/** Returns the journal of a query that was run with these arguments, or null where it has none. */
export function journalOf(args, journal, value) {
  if (!asksForPage(args) || !isPage(value)) return null;
  return JSON.stringify({ endCursor: fixedEnd(args, journal) ?? value.continueCursor });
}

/** Makes a page end at its fixed end also when the document that stood there is gone. */
export function endedWhereFixed(args, journal, value) {
  const end = asksForPage(args) && isPage(value) ? fixedEnd(args, journal) : null;
  if (end === null || value.pageStatus === "SplitRequired") return value;
  return { ...value, continueCursor: end, isDone: end === END };
}

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
    return null; // A journal comes from the client: one that is none of ours fixes nothing.
  }
}

function asksForPage(args) {
  const options = args?.paginationOpts;
  return typeof options === "object" && options !== null && "numItems" in options;
}

function isPage(value) {
  return (
    typeof value === "object" &&
    value !== null &&
    Array.isArray(value.page) &&
    typeof value.isDone === "boolean" &&
    typeof value.continueCursor === "string"
  );
}

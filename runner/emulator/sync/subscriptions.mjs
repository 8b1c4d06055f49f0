// The queries to which a connection subscribes, with the result of each that was last sent to the client.

import { endedWhereFixed, journalOf, withFixedEnd } from "./joined_pages.mjs";

// Results that differ only in the random id of the request count as equal.
const REQUEST_ID = /\[Request ID: [^[\]]*\]/g;

export class QuerySet {
  /** @type {Map<number, { path: string, args: object, component?: string, journal: string | null, sent?: string }>} */
  #queries = new Map();
  #removed = new Set();

  /** Applies the changes of a ModifyQuerySet message. Throws an Error if they are malformed. */
  modify(modifications) {
    for (const change of modifications) {
      if (change.type === "Add") this.#add(change);
      else if (change.type === "Remove") this.#remove(change.queryId);
      else throw new Error(`Unknown query set modification: ${change.type}`);
    }
  }

  #add({ queryId, udfPath, args, journal, componentPath }) {
    if (this.#queries.has(queryId)) throw new Error(`Query ${queryId} was already added`);
    const asked = { path: udfPath, args: args[0] ?? {}, component: componentPath };
    this.#queries.set(queryId, { ...asked, journal: journal ?? null });
    this.#removed.delete(queryId);
  }

  #remove(queryId) {
    if (!this.#queries.delete(queryId)) throw new Error(`Query ${queryId} is not there to remove`);
    this.#removed.add(queryId);
  }

  /**
   * Runs all queries and returns their results, for `changes`.
   *
   * @param {(path: string, args: object, component?: string) => Promise<import("../functions/executor.mjs").Outcome>} run
   */
  async run(run) {
    const results = [];
    for (const [queryId, query] of [...this.#queries]) {
      const { path, component } = query;
      const outcome = await run(path, withFixedEnd(query.args, query.journal), component);
      results.push({ queryId, query, modification: modificationOf(queryId, query, outcome) });
    }
    return results;
  }

  /** Returns the modifications of a transition: the results that differ from those last sent to the client. */
  changes(results) {
    const modifications = [];
    for (const { queryId, query, modification } of results) {
      // The query was removed while the results were made, or removed and added again.
      if (this.#queries.get(queryId) !== query) continue;
      const { logLines: _logLines, ...heard } = modification;
      const content = JSON.stringify(heard).replace(REQUEST_ID, "");
      if (content === query.sent) continue;
      query.sent = content;
      query.journal = modification.journal;
      modifications.push(modification);
    }
    for (const queryId of this.#removed) modifications.push({ type: "QueryRemoved", queryId });
    this.#removed.clear();
    return modifications;
  }
}

/** @param {any} outcome */
function modificationOf(queryId, query, outcome) {
  const { success, value, errorMessage, errorData, logLines } = outcome;
  const { args, journal } = query;
  if (!success) return { type: "QueryFailed", queryId, errorMessage, errorData, logLines, journal };
  const page = endedWhereFixed(args, journal, value);
  const newJournal = journalOf(args, journal, value);
  return { type: "QueryUpdated", queryId, value: page, logLines, journal: newJournal };
}

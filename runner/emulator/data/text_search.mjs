// Text search: the rows that have words of a query, the most relevant first.
//
// Rules are those of the real backend (crates/search): words are sequences of letters and digits, the last
// word of a query may be the beginning of a longer word, and BM25 ranks the rows.

import { compareValues } from "convex/values";

import { valueOf } from "./ranges.mjs";
import { valueAt } from "./ordered_index.mjs";

const MOST_TERMS = 16;
/** Words of this number of bytes or more are not indexed. */
const LONG_WORD = 32;
const MOST_FILTERS = 8;
/** The most rows that a search returns. If there are so many, they cannot be read to the end. */
export const MOST_RESULTS = 1024;
/** The weight of a word of which the query has only the beginning. */
const PREFIX_BOOST = 0.5;
// The constants of BM25, as in Lucene and tantivy.
const K1 = 1.2;
const B = 0.75;
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * Returns the rows that a search finds, the most relevant first, with their keys.
 *
 * @param {string} name of the index, with its table
 * @param {{ searchField: string, filterFields: string[] }} index
 * @param {any[]} filters of the query
 * @param {Iterable<import("./database.mjs").Row>} rows of the table
 * @returns {import("./ordered_index.mjs").Entry[]}
 */
export function searchText(name, index, filters, rows) {
  const { text, conditions } = check(name, index, filters);
  const terms = wordsOf(text).slice(0, MOST_TERMS);
  const field = index.searchField.split(".");
  const documents = [...rows].map((row) => ({ row, words: wordsAt(row.document, field) }));
  const weights = weigh(terms, documents);
  const total = documents.reduce((sum, { words }) => sum + words.length, 0);
  const mean = total / documents.length;
  const found = [];
  for (const { row, words } of documents) {
    const score = scoreOf(words, weights, mean);
    if (score === 0 || !conditions.every(({ path, value }) => isAt(row.document, path, value)))
      continue;
    found.push({ key: [-score, -row.document._creationTime, row.id], row });
  }
  found.sort(({ key: one }, { key: other }) => one[0] - other[0] || one[1] - other[1]);
  return found.slice(0, MOST_RESULTS);
}

function isAt(document, path, value) {
  return compareValues(valueAt(document, path), value) === 0;
}

/** Checks the filters of a search, with the real backend's messages. */
function check(name, { searchField, filterFields }, filters) {
  /** @type {string | null} */
  let text = null;
  const conditions = [];
  for (const { type, fieldPath, value } of filters) {
    if (type === "Search") {
      if (fieldPath !== searchField) {
        throw new Error(
          `Search query against ${name} contains a search filter against "${fieldPath}", which ` +
            `doesn't match the indexed \`searchField\` "${searchField}".`,
        );
      }
      if (text !== null) {
        throw new Error(
          `Search query against ${name} contains multiple search filters against ` +
            `"${fieldPath}". Only one is allowed.`,
        );
      }
      if (typeof value !== "string") {
        // Only the beginning of the real backend's message is known.
        throw new Error(
          "Invalid argument `query` for `queryStream`: the text searched is no string",
        );
      }
      text = value;
      continue;
    }
    if (!filterFields.includes(fieldPath)) {
      throw new Error(
        `Search query against ${name} contains an equality filter on "${fieldPath}" but that ` +
          "field isn't indexed for filtering in `filterFields`.",
      );
    }
    conditions.push({ path: fieldPath.split("."), value: valueOf(value) });
  }
  if (text === null) {
    throw new Error(
      `Search query against ${name} does not contain any search filters. You must include a ` +
        `search filter like \`q.search("${searchField}", searchText)\`.`,
    );
  }
  if (conditions.length > MOST_FILTERS) {
    throw new Error(
      `Search query against ${name} has too many filter conditions. Max: ${MOST_FILTERS} ` +
        `Actual: ${conditions.length}`,
    );
  }
  return { text, conditions };
}

function wordsOf(text) {
  const words = text.match(WORD) ?? [];
  return words
    .filter((word) => Buffer.byteLength(word) < LONG_WORD)
    .map((word) => word.toLowerCase());
}

function wordsAt(document, path) {
  const text = valueAt(document, path);
  return typeof text === "string" ? wordsOf(text) : [];
}

/**
 * Returns the weight of each word of a query: its inverse document frequency.
 *
 * @returns {Map<string, number>}
 */
function weigh(terms, documents) {
  const wanted = new Map(terms.map((term) => [term, 1]));
  const last = terms.at(-1);
  const frequencies = new Map();
  for (const { words } of documents) {
    for (const word of new Set(words)) {
      if (last !== undefined && word !== last && word.startsWith(last) && !wanted.has(word))
        wanted.set(word, PREFIX_BOOST);
      if (wanted.has(word)) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    }
  }
  const weights = new Map();
  for (const [word, count] of frequencies) {
    const rarity = Math.log(1 + (documents.length - count + 0.5) / (count + 0.5));
    weights.set(word, wanted.get(word) * rarity * (1 + K1));
  }
  return weights;
}

/** Returns the score of a text, in single precision; 0 if the text has no word of the query. */
function scoreOf(words, weights, mean) {
  const counts = new Map();
  for (const word of words) if (weights.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  let score = 0;
  for (const [word, count] of counts) {
    const norm = K1 * (1 - B + (B * words.length) / mean);
    score += (weights.get(word) * count) / (count + norm);
  }
  return Math.fround(score);
}

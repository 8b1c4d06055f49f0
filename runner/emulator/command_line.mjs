// The command lines of our programs.

import { parseArgs } from "node:util";

/**
 * Returns the options that a program was started with, each `--name VALUE`, by name.
 *
 * @param {string[]} names the options that the program has
 * @returns {any}
 */
export function readOptions(...names) {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  return parseArgs(/** @type {any} */ ({ options })).values;
}

// The conversion of an error's stack in a bundle to lines of the project's own files.

import { SourceMap } from "node:module";
import { relative, resolve } from "node:path";

const FRAME = /^\s*at (?:async )?(?:(.*?) \()?convex-(isolate|node):(\d+):(\d+)\)?$/;
const MOST_FRAMES = 10;
/** The most lines of a stack that are read, because model code can make a stack of any length. */
const MOST_LINES = 200;
const LONGEST_LINE = 1000;

export class Places {
  #dir;
  #maps;

  /**
   * @param {string} dir the project
   * @param {{ isolate: import("../bundle.mjs").Script, node: import("../bundle.mjs").Script | null }} bundles
   */
  constructor(dir, { isolate, node }) {
    this.#dir = dir;
    this.#maps = { isolate, node };
  }

  /**
   * Returns the lines of an error's stack that are in the project, with its own files, lines and columns.
   *
   * @param {string} stack
   * @returns {string[]} such as `    at handler (../convex/messages.ts:12:3)`
   */
  frames(stack) {
    const frames = [];
    for (const line of stack.split("\n", MOST_LINES)) {
      const found = FRAME.exec(line.slice(0, LONGEST_LINE));
      const frame = found && this.#place(found);
      if (frame) frames.push(frame);
    }
    return frames.slice(0, MOST_FRAMES);
  }

  /** @param {string[]} found */
  #place([, name, script, line, column]) {
    const bundle = this.#maps[script];
    if (!bundle) return null;
    bundle.places ??= new SourceMap(JSON.parse(bundle.map));
    const entry = bundle.places.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry.originalSource) return null;
    const source = relative(this.#dir, resolve(bundle.folder, entry.originalSource));
    if (source.startsWith("..") || source.includes("node_modules/")) return null;
    const place = `../${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    return `    at ${name ? name.replace(/^Object\./, "") : "<anonymous>"} (${place})`;
  }
}

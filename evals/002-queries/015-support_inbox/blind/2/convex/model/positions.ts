// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

/**
 * A place in the order of the inbox. Rows with the same `at` follow each other by their creation, as
 * in our indexes, the last one first.
 */
export interface Position {
  pinned: boolean;
  at: number;
  created: number;
  id: string;
}

/** Before the first row that is possible among the pinned ones, or the others. */
export function topOf(pinned: boolean, at = Number.MAX_VALUE): Position {
  return { pinned, at, created: Number.MAX_VALUE, id: "~" };
}

export const START = topOf(true);

/** After the last row that is possible. */
export const END: Position = {
  pinned: false,
  at: -Number.MAX_VALUE,
  created: -Number.MAX_VALUE,
  id: "",
};

/** Negative if `a` comes first. */
export function compare(a: Position, b: Position): number {
  if (a.pinned !== b.pinned) return a.pinned ? -1 : 1;
  if (a.at !== b.at) return a.at > b.at ? -1 : 1;
  if (a.created !== b.created) return a.created > b.created ? -1 : 1;
  if (a.id !== b.id) return a.id > b.id ? -1 : 1;
  return 0;
}

export function encode({ pinned, at, created, id }: Position): string {
  return JSON.stringify([pinned, at, created, id]);
}

export function decode(cursor: string): Position {
  const [pinned, at, created, id] = parse(cursor);
  if (
    typeof pinned !== "boolean" ||
    typeof at !== "number" ||
    typeof created !== "number" ||
    typeof id !== "string"
  ) {
    throw new ConvexError("bad cursor");
  }
  return { pinned, at, created, id };
}

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(cursor);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

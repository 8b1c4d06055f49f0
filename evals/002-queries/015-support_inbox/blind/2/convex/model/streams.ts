// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { compare, topOf, type Position } from "./positions";
import type { Row } from "./rows";

/** The rows at an `at` that were created at a moment or before; without it, those below the `at`. */
export interface Bound {
  at: number;
  created?: number;
}

/** A stored document at its position. It is listed if it has a row. */
export interface Entry extends Position {
  row: (() => Promise<Row>) | null;
}

export interface Listed extends Position {
  row: () => Promise<Row>;
}

/** A range of an index, in which documents have the order of the inbox. */
export interface Part {
  pinned: boolean;
  /** Whether these have a snooze, and are listed only once it is over. */
  snoozed: boolean;
  read: (bound: Bound, count: number) => Promise<Entry[]>;
}

interface Stream {
  part: Part;
  /** What is read after here. */
  after: Position;
  /** Rows that are read and not shown yet. */
  ready: Listed[];
  /** How many are read next. It doubles: so little is read of what is not needed. */
  size: number;
  isAtEnd: boolean;
}

/** The parts from a position on, at a moment. */
export function openStreams(parts: Part[], from: Position, now: number): Stream[] {
  const streams: Stream[] = [];
  for (const part of parts) {
    if (part.pinned && !from.pinned) continue;
    // Without a snooze something is listed at any moment, as in the lists: from 0 on.
    if (!part.snoozed && now < 0) continue;
    const start = part.pinned === from.pinned ? from : topOf(part.pinned);
    const after = part.snoozed && start.at > now ? topOf(part.pinned, now) : start;
    streams.push({ part, after, ready: [], size: 1, isAtEnd: false });
  }
  return streams;
}

/** The stream whose first row comes next; null if there are no more rows. */
export async function nextOf(streams: Stream[], most: number): Promise<Stream | null> {
  await Promise.all(streams.map((stream) => fill(stream, most)));
  let next: Stream | null = null;
  for (const stream of streams) {
    if (stream.ready.length === 0) continue;
    if (next === null || compare(stream.ready[0], next.ready[0]) < 0) next = stream;
  }
  return next;
}

async function fill(stream: Stream, most: number): Promise<void> {
  while (stream.ready.length === 0 && !stream.isAtEnd) {
    const { entries, isAtEnd } = await readAfter(
      stream.part,
      stream.after,
      Math.min(stream.size, most),
    );
    stream.isAtEnd = isAtEnd;
    stream.size *= 2;
    for (const entry of entries) {
      stream.after = entry;
      const { row } = entry;
      if (row !== null) stream.ready.push({ ...entry, row });
    }
  }
}

/** Some entries of a part after a position. */
async function readAfter(
  part: Part,
  after: Position,
  count: number,
): Promise<{ entries: Entry[]; isAtEnd: boolean }> {
  // What was created at the very moment is read again, and told apart by its id.
  const same = await part.read({ at: after.at, created: after.created }, count + 1);
  const entries = same.filter((entry) => compare(entry, after) > 0);
  if (same.length > count) {
    return entries.length === 0
      ? await readAfter(part, after, 2 * count)
      : { entries, isAtEnd: false };
  }
  const rest = count - entries.length;
  if (rest <= 0) return { entries, isAtEnd: false };
  const below = await part.read({ at: after.at }, rest);
  return { entries: [...entries, ...below], isAtEnd: below.length < rest };
}

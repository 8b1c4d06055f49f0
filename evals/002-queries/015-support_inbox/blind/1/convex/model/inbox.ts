// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { QueryCtx } from "../_generated/server";
import { compareKeys, type Key } from "./keys";
import type { Row } from "./rows";
import { sourcesOf, type Found, type Source, type Span, type Wanted } from "./sources";

/*
 * The inbox is merged from index ranges ("sources"), each of which is ordered like the inbox itself: by
 * keys that do not change as long as a row's `pinned` and `at` stay. A cursor is the key of a page's last
 * row, so that it does not matter what became of that row.
 */

const START = "start";
const END = "end";

/** A place between rows: before all of them, behind the row of a key, or behind all of them. */
type Place = typeof START | typeof END | Key;

function encode(place: Place): string {
  if (typeof place === "string") return place;
  const { pinned, at, channel, second, created, id } = place;
  return JSON.stringify([pinned, at, channel, second, created, id]);
}

function decode(cursor: string | null): Place {
  if (cursor === null || cursor === START) return START;
  if (cursor === END) return END;
  let parts: unknown = null;
  try {
    parts = JSON.parse(cursor);
  } catch {
    // It is refused below.
  }
  if (Array.isArray(parts)) {
    const [pinned, at, channel, second, created, id] = parts as unknown[];
    if (
      typeof pinned === "boolean" &&
      typeof at === "number" &&
      typeof channel === "number" &&
      typeof second === "number" &&
      typeof created === "number" &&
      typeof id === "string"
    ) {
      return { pinned, at, channel, second, created, id };
    }
  }
  throw new ConvexError("no such cursor");
}

/** A source that is being read. */
type Stream = {
  source: Source;
  /** What is still to be read, in this order. */
  spans: Span[];
  /** What was read and not taken. */
  buffer: Found[];
  /** The last one that was read, or the one that the page begins behind. */
  last: Key | null;
  taken: number;
};

/** What comes behind a key in a source of the same channel and pin. */
function behind(key: Key): Span[] {
  const { at, second, created } = key;
  return [
    { kind: "tie", at, second, created },
    { kind: "rest", at, second },
    { kind: "below", at },
  ];
}

function open(source: Source, after: Key | null): Stream {
  const stream: Stream = { source, spans: [{ kind: "all" }], buffer: [], last: null, taken: 0 };
  if (after === null || (after.pinned && !source.pinned)) return stream;
  if (after.pinned !== source.pinned) return { ...stream, spans: [] };
  const { at } = after;
  if (source.channel < after.channel) return { ...stream, spans: [{ kind: "below", at }] };
  if (source.channel > after.channel) return { ...stream, spans: [{ kind: "from", at }] };
  return { ...stream, spans: behind(after), last: after };
}

/** Reads until the buffer has something, or all is read. */
async function fill(stream: Stream, count: number): Promise<void> {
  let size = count;
  while (stream.buffer.length === 0) {
    const [span] = stream.spans;
    if (span === undefined) return;
    // The range of a tie begins with the last row itself.
    const limit = span.kind === "tie" ? size + 1 : size;
    const found = await stream.source.read(span, limit);
    const fresh = found.filter(
      ({ listed, key }) => listed && (stream.last === null || compareKeys(key, stream.last) > 0),
    );
    stream.buffer.push(...fresh);
    stream.last = fresh.at(-1)?.key ?? stream.last;
    const final = found.at(-1);
    if (final === undefined || found.length < limit) stream.spans = stream.spans.slice(1);
    else if (!final.listed) stream.spans = [{ kind: "below", at: final.key.at }];
    else stream.spans = behind(final.key);
    // More rows than that were created at the very same time.
    if (span.kind === "tie" && fresh.length === 0) size *= 2;
  }
}

/** The stream with the next row of those that were filled. */
function bestOf(streams: Stream[]): Stream | null {
  let best: Stream | null = null;
  for (const stream of streams) {
    const head = stream.buffer[0];
    if (head === undefined) continue;
    const leader = best?.buffer[0];
    if (leader === undefined || compareKeys(head.key, leader.key) < 0) best = stream;
  }
  return best;
}

type Result = { page: Row[]; isDone: boolean; continueCursor: string };

export async function readInbox(
  ctx: QueryCtx,
  wanted: Wanted,
  opts: { numItems: number; cursor: string | null; endCursor: string | null },
): Promise<Result> {
  const start = decode(opts.cursor);
  const end = opts.endCursor === null ? null : decode(opts.endCursor);
  if (start === END) return { page: [], isDone: true, continueCursor: END };
  if (end === START) return { page: [], isDone: false, continueCursor: START };
  const size = end === null ? Math.max(1, Math.floor(opts.numItems)) : Infinity;
  const after = start === START ? null : start;
  const taken: Found[] = [];
  let more = false;
  for (const pinned of [true, false]) {
    const streams = sourcesOf(ctx, wanted, pinned).map((source) => open(source, after));
    await Promise.all(streams.map((stream) => fill(stream, 1)));
    for (;;) {
      const stream = bestOf(streams);
      const next = stream?.buffer[0];
      if (stream === null || next === undefined) break;
      more =
        taken.length >= size ||
        (end !== null && typeof end !== "string" && compareKeys(next.key, end) > 0);
      if (more) break;
      taken.push(next);
      stream.buffer.shift();
      stream.taken += 1;
      // Not more than was taken of it: what is read in vain stays in proportion.
      const left = Math.max(1, size - taken.length);
      await fill(stream, Math.min(stream.taken + 1, left));
    }
    if (more) break;
  }
  const page = await Promise.all(taken.map(({ show }) => show()));
  if (end !== null) return { page, isDone: end === END, continueCursor: encode(end) };
  const last = taken.at(-1);
  if (!more || last === undefined) return { page, isDone: true, continueCursor: END };
  return { page, isDone: false, continueCursor: encode(last.key) };
}

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator, paginationResultValidator, type IndexRange } from "convex/server";
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";
import { requireAgent } from "./model/agents";
import { callRow, chatRow, emailRow, row, type Row } from "./model/rows";

const LOWEST = -Number.MAX_VALUE;
const HIGHEST = Number.MAX_VALUE;

const EMAIL = 0;
const CHAT = 1;
const CALL = 2;

/**
 * The place of a row. Nothing but `pinned` and `at` changes it: the rest is the same for as long as
 * the row is there. Places are ordered by `pinned` (first), `at` (the newest first), `channel`,
 * `ended` and `created` (the newest first).
 */
type Place = {
  pinned: boolean;
  at: number;
  channel: number;
  /** When a call ended; 0 for the other channels. */
  ended: number;
  created: number;
};

type Entry = { place: Place; row: () => Promise<Row> };

/** A part of a source: one moment from a creation on, or all moments up to one. */
type Range = { at: number; before: number } | { at: number; inclusive: boolean };

/** Rows that one index has in the order of their places. */
type Source = (after: Place | null, count: number) => Promise<Entry[]>;

/** One value of the assignee, or all if there is no filter. */
type Filter<T> = { agent: T } | null;

function comparePlaces(a: Place, b: Place): number {
  return (
    Number(b.pinned) - Number(a.pinned) ||
    b.at - a.at ||
    a.channel - b.channel ||
    b.ended - a.ended ||
    b.created - a.created
  );
}

const START = "start";
const END = "end";

function toCursor({ pinned, at, channel, ended, created }: Place): string {
  return JSON.stringify([pinned ? 1 : 0, at, channel, ended, created]);
}

function fromCursor(cursor: string): Place {
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(cursor);
  } catch {
    // Refused below.
  }
  const numbers: number[] = [];
  if (Array.isArray(parsed))
    for (const part of parsed as unknown[]) if (typeof part === "number") numbers.push(part);
  const [pinned, at, channel, ended, created] = numbers;
  if (
    pinned === undefined ||
    at === undefined ||
    channel === undefined ||
    ended === undefined ||
    created === undefined
  )
    throw new ConvexError("no such cursor");
  return { pinned: pinned === 1, at, channel, ended, created };
}

/** What of a source of emails or chats comes after a place, in order. */
function rangesAfter(after: Place | null, channel: number): Range[] {
  if (after === null) return [{ at: HIGHEST, inclusive: true }];
  const { at, created } = after;
  if (after.channel !== channel) return [{ at, inclusive: channel > after.channel }];
  return [
    { at, before: created },
    { at, inclusive: false },
  ];
}

/** What of these ranges is not later than a moment. */
function upTo(ranges: Range[], now: number): Range[] {
  const cut: Range[] = [];
  for (const range of ranges) {
    if (range.at <= now) cut.push(range);
    else if ("inclusive" in range) cut.push({ at: now, inclusive: true });
  }
  return cut;
}

/** The part of an index's range builder that is needed for a range of the field of `at`. */
interface Open<F extends string> {
  eq(field: F, value: number): { lt(field: "_creationTime", value: number): IndexRange };
  gte(
    field: F,
    value: number,
  ): { lt(field: F, value: number): IndexRange; lte(field: F, value: number): IndexRange };
}

function cut<F extends string>(q: Open<F>, field: F, range: Range, floor: number): IndexRange {
  if ("before" in range) return q.eq(field, range.at).lt("_creationTime", range.before);
  const from = q.gte(field, floor);
  return range.inclusive ? from.lte(field, range.at) : from.lt(field, range.at);
}

/** The first documents of some ranges, one range after the other. */
async function readRanges<T>(
  ranges: Range[],
  count: number,
  read: (range: Range, count: number) => Promise<T[]>,
): Promise<T[]> {
  const found: T[] = [];
  for (const range of ranges) {
    if (found.length === count) break;
    found.push(...(await read(range, count - found.length)));
  }
  return found;
}

type Scope = {
  /** The moment at which the inbox is shown. */
  now: number;
  /** Nothing before this moment is needed. */
  floor: number;
};

function freshEmails(
  ctx: QueryCtx,
  { floor }: Scope,
  pinned: boolean | undefined,
  filter: Filter<Id<"agents"> | null | undefined>,
): Source {
  const read = async (range: Range, count: number) => {
    const emails = ctx.db.query("emails");
    const narrow =
      filter === null
        ? emails.withIndex("fresh", (q) =>
            cut(
              q
                .eq("folder", "inbox")
                .eq("duplicateOf", undefined)
                .eq("pinned", pinned)
                .eq("snoozedUntil", undefined),
              "receivedAt",
              range,
              floor,
            ),
          )
        : emails.withIndex("fresh_of", (q) =>
            cut(
              q
                .eq("folder", "inbox")
                .eq("duplicateOf", undefined)
                .eq("assignee", filter.agent)
                .eq("pinned", pinned)
                .eq("snoozedUntil", undefined),
              "receivedAt",
              range,
              floor,
            ),
          );
    return await narrow.order("desc").take(count);
  };
  return async (after, count) => {
    const found = await readRanges(rangesAfter(after, EMAIL), count, read);
    return found.map((email) => emailEntry(ctx, email));
  };
}

function wokenEmails(
  ctx: QueryCtx,
  { now, floor }: Scope,
  pinned: boolean | undefined,
  filter: Filter<Id<"agents"> | null | undefined>,
): Source {
  const read = async (range: Range, count: number) => {
    const emails = ctx.db.query("emails");
    const narrow =
      filter === null
        ? emails.withIndex("woken", (q) =>
            cut(
              q.eq("folder", "inbox").eq("duplicateOf", undefined).eq("pinned", pinned),
              "snoozedUntil",
              range,
              floor,
            ),
          )
        : emails.withIndex("woken_of", (q) =>
            cut(
              q
                .eq("folder", "inbox")
                .eq("duplicateOf", undefined)
                .eq("assignee", filter.agent)
                .eq("pinned", pinned),
              "snoozedUntil",
              range,
              floor,
            ),
          );
    return await narrow.order("desc").take(count);
  };
  return async (after, count) => {
    const found = await readRanges(upTo(rangesAfter(after, EMAIL), now), count, read);
    return found.map((email) => emailEntry(ctx, email));
  };
}

function emailEntry(ctx: QueryCtx, email: Doc<"emails">): Entry {
  return {
    place: {
      pinned: email.pinned ?? false,
      at: email.snoozedUntil ?? email.receivedAt,
      channel: EMAIL,
      ended: 0,
      created: email._creationTime,
    },
    row: async () => await emailRow(ctx, email),
  };
}

function freshChats(
  ctx: QueryCtx,
  { floor }: Scope,
  pinned: boolean,
  filter: Filter<Id<"agents"> | null>,
): Source {
  const read = async (range: Range, count: number) => {
    const chats = ctx.db.query("chats");
    const narrow =
      filter === null
        ? chats.withIndex("fresh", (q) =>
            cut(
              q.eq("status", "open").eq("pinned", pinned).eq("snooze.until", undefined),
              "lastMessageAt",
              range,
              floor,
            ),
          )
        : chats.withIndex("fresh_of", (q) =>
            cut(
              q
                .eq("status", "open")
                .eq("agent", filter.agent)
                .eq("pinned", pinned)
                .eq("snooze.until", undefined),
              "lastMessageAt",
              range,
              floor,
            ),
          );
    return await narrow.order("desc").take(count);
  };
  return async (after, count) => {
    const found = await readRanges(rangesAfter(after, CHAT), count, read);
    return found.map((chat) => chatEntry(ctx, chat));
  };
}

function wokenChats(
  ctx: QueryCtx,
  { now, floor }: Scope,
  pinned: boolean,
  filter: Filter<Id<"agents"> | null>,
): Source {
  const read = async (range: Range, count: number) => {
    const chats = ctx.db.query("chats");
    const narrow =
      filter === null
        ? chats.withIndex("woken", (q) =>
            cut(q.eq("status", "open").eq("pinned", pinned), "snooze.until", range, floor),
          )
        : chats.withIndex("woken_of", (q) =>
            cut(
              q.eq("status", "open").eq("agent", filter.agent).eq("pinned", pinned),
              "snooze.until",
              range,
              floor,
            ),
          );
    return await narrow.order("desc").take(count);
  };
  return async (after, count) => {
    const found = await readRanges(upTo(rangesAfter(after, CHAT), now), count, read);
    return found.map((chat) => chatEntry(ctx, chat));
  };
}

function chatEntry(ctx: QueryCtx, chat: Doc<"chats">): Entry {
  return {
    place: {
      pinned: chat.pinned,
      at: chat.snooze?.until ?? chat.lastMessageAt,
      channel: CHAT,
      ended: 0,
      created: chat._creationTime,
    },
    row: async () => await chatRow(ctx, chat),
  };
}

function freshCalls(
  ctx: QueryCtx,
  { floor }: Scope,
  starred: true | undefined,
  filter: Filter<Id<"agents"> | undefined>,
): Source {
  const read = async (range: Range, count: number) => {
    const calls = ctx.db.query("calls");
    const narrow =
      filter === null
        ? calls.withIndex("inbox", (q) =>
            cut(
              q.eq("handled", false).eq("starred", starred).eq("remindAt", null),
              "endedAt",
              range,
              floor,
            ),
          )
        : calls.withIndex("inbox_of", (q) =>
            cut(
              q
                .eq("handled", false)
                .eq("agent", filter.agent)
                .eq("starred", starred)
                .eq("remindAt", null),
              "endedAt",
              range,
              floor,
            ),
          );
    return await narrow.order("desc").take(count);
  };
  return async (after, count) => {
    // Here `at` and `ended` are the same moment, but not at every place.
    const ranges: Range[] =
      after !== null && after.channel === CALL && after.ended !== after.at
        ? [{ at: after.at, inclusive: after.ended > after.at }]
        : rangesAfter(after, CALL);
    return callEntries(ctx, await readRanges(ranges, count, read));
  };
}

function wokenCalls(
  ctx: QueryCtx,
  { now, floor }: Scope,
  starred: true | undefined,
  filter: Filter<Id<"agents"> | undefined>,
): Source {
  /** Calls of reminders up to a moment; those that go on come last of those of one moment. */
  const upToMoment = async (at: number, inclusive: boolean, count: number) => {
    const calls = ctx.db.query("calls");
    const range: Range = { at, inclusive };
    const narrow =
      filter === null
        ? calls.withIndex("inbox", (q) => {
            const from = q.eq("handled", false).eq("starred", starred).gte("remindAt", floor);
            return range.inclusive ? from.lte("remindAt", at) : from.lt("remindAt", at);
          })
        : calls.withIndex("inbox_of", (q) => {
            const from = q
              .eq("handled", false)
              .eq("agent", filter.agent)
              .eq("starred", starred)
              .gte("remindAt", floor);
            return range.inclusive ? from.lte("remindAt", at) : from.lt("remindAt", at);
          });
    return await narrow.order("desc").take(count);
  };
  /** Calls with the same reminder that ended in a range. */
  const ofMoment = async (at: number, range: Range, count: number) => {
    const calls = ctx.db.query("calls");
    const narrow =
      filter === null
        ? calls.withIndex("inbox", (q) =>
            cut(
              q.eq("handled", false).eq("starred", starred).eq("remindAt", at),
              "endedAt",
              range,
              LOWEST,
            ),
          )
        : calls.withIndex("inbox_of", (q) =>
            cut(
              q
                .eq("handled", false)
                .eq("agent", filter.agent)
                .eq("starred", starred)
                .eq("remindAt", at),
              "endedAt",
              range,
              LOWEST,
            ),
          );
    return await narrow.order("desc").take(count);
  };
  return async (after, count) => {
    const found: Entry[] = [];
    let at = now;
    let inclusive = true;
    if (after !== null && after.at <= now) {
      at = after.at;
      inclusive = after.channel < CALL;
      if (after.channel === CALL) {
        const ranges: Range[] = [
          { at: after.ended, before: after.created },
          { at: after.ended, inclusive: false },
        ];
        const read = async (range: Range, most: number) => await ofMoment(after.at, range, most);
        found.push(...callEntries(ctx, await readRanges(ranges, count, read)));
      }
    }
    while (found.length < count) {
      const most = count - found.length;
      const calls = await upToMoment(at, inclusive, most);
      found.push(...callEntries(ctx, calls));
      const last = calls.at(-1);
      if (calls.length < most || last === undefined || last.endedAt !== undefined) break;
      // All others of this moment go on, too.
      at = last.remindAt ?? LOWEST;
      inclusive = false;
      if (at <= floor) break;
    }
    // What ended may have been fewer than were read: go on behind it.
    return found;
  };
}

/** The calls of these that ended. */
function callEntries(ctx: QueryCtx, calls: Doc<"calls">[]): Entry[] {
  const entries: Entry[] = [];
  for (const { endedAt, ...call } of calls)
    if (endedAt !== undefined)
      entries.push({
        place: {
          pinned: call.starred ?? false,
          at: call.remindAt ?? endedAt,
          channel: CALL,
          ended: endedAt,
          created: call._creationTime,
        },
        row: async () => await callRow(ctx, { ...call, endedAt }),
      });
  return entries;
}

/** All sources of what is pinned, or of what is not. */
function sourcesOf(
  ctx: QueryCtx,
  scope: Scope,
  pinned: boolean,
  assignee: Id<"agents"> | null | undefined,
  channel: Row["channel"] | undefined,
): Source[] {
  if (Number.isNaN(scope.now)) return [];
  // The lists take what has no snooze for something that was snoozed until 0.
  const fresh = scope.now >= 0;
  const sources: Source[] = [];
  if (channel === undefined || channel === "email") {
    const filters: Filter<Id<"agents"> | null | undefined>[] =
      assignee === undefined
        ? [null]
        : assignee === null
          ? [{ agent: undefined }, { agent: null }]
          : [{ agent: assignee }];
    for (const filter of filters)
      for (const value of pinned ? [true] : [undefined, false]) {
        if (fresh) sources.push(freshEmails(ctx, scope, value, filter));
        sources.push(wokenEmails(ctx, scope, value, filter));
      }
  }
  if (channel === undefined || channel === "chat") {
    const filter = assignee === undefined ? null : { agent: assignee };
    if (fresh) sources.push(freshChats(ctx, scope, pinned, filter));
    sources.push(wokenChats(ctx, scope, pinned, filter));
  }
  if (channel === undefined || channel === "call") {
    const filter = assignee === undefined ? null : { agent: assignee ?? undefined };
    const starred = pinned ? true : undefined;
    if (fresh) sources.push(freshCalls(ctx, scope, starred, filter));
    sources.push(wokenCalls(ctx, scope, starred, filter));
  }
  return sources;
}

/** A source that is read bit by bit, each time about as much as was used of it before. */
class Feed {
  private entries: Entry[] = [];
  private taken = 0;
  private count = 1;
  private isDone = false;

  constructor(
    private readonly source: Source,
    private after: Place | null,
  ) {}

  /** Sees to it that `head` is right. */
  async fill(): Promise<void> {
    if (this.isDone || this.taken < this.entries.length) return;
    this.entries = await this.source(this.after, this.count);
    this.taken = 0;
    this.isDone = this.entries.length < this.count;
    this.after = this.entries.at(-1)?.place ?? this.after;
    this.count = Math.min(2 * this.count, 1024);
  }

  head(): Entry | undefined {
    return this.entries[this.taken];
  }

  drop() {
    this.taken += 1;
  }
}

/**
 * A page of what lies in the inbox at a moment, of all channels: pinned rows first, then the newest.
 * With an assignee (null is nobody) or a channel only theirs.
 */
export const page = query({
  args: {
    paginationOpts: paginationOptsValidator,
    now: v.number(),
    assignee: v.optional(v.union(v.id("agents"), v.null())),
    channel: v.optional(row.fields.channel),
  },
  returns: paginationResultValidator(row),
  handler: async (ctx, { paginationOpts, now, assignee, channel }) => {
    await requireAgent(ctx);
    const { cursor, numItems } = paginationOpts;
    const endCursor = paginationOpts.endCursor ?? null;
    if (cursor === END) return { page: [], isDone: true, continueCursor: END };
    const start = cursor === null || cursor === START ? null : fromCursor(cursor);
    if (endCursor === START) return { page: [], isDone: false, continueCursor: START };
    const end = endCursor === null || endCursor === END ? null : fromCursor(endCursor);

    const entries: Entry[] = [];
    let isMore = false;
    for (const pinned of [true, false]) {
      if (isMore || (pinned && start?.pinned === false)) continue;
      if (!pinned && end?.pinned === true) continue;
      const floor = end?.pinned === pinned ? end.at : LOWEST;
      const after = start?.pinned === pinned ? start : null;
      const sources = sourcesOf(ctx, { now, floor }, pinned, assignee, channel);
      const feeds = sources.map((source) => new Feed(source, after));
      for (;;) {
        await Promise.all(feeds.map(async (feed) => await feed.fill()));
        let first: Feed | undefined;
        let head: Entry | undefined;
        for (const feed of feeds) {
          const entry = feed.head();
          if (entry === undefined) continue;
          if (head === undefined || comparePlaces(entry.place, head.place) < 0) {
            first = feed;
            head = entry;
          }
        }
        if (first === undefined || head === undefined) break;
        if (end !== null && comparePlaces(head.place, end) > 0) break;
        if (endCursor === null && entries.length >= numItems) {
          isMore = true;
          break;
        }
        entries.push(head);
        first.drop();
      }
    }

    const rows = await Promise.all(entries.map(async (entry) => await entry.row()));
    if (endCursor !== null)
      return { page: rows, isDone: endCursor === END, continueCursor: endCursor };
    if (!isMore) return { page: rows, isDone: true, continueCursor: END };
    const last = entries.at(-1)?.place ?? start;
    return {
      page: rows,
      isDone: false,
      continueCursor: last === null ? START : toCursor(last),
    };
  },
});

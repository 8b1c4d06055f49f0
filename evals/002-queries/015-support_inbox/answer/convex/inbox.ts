// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v, type Value } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";
import { requireAgent } from "./model/agents";
import { callRow, chatRow, emailRow, row, type Row } from "./model/rows";

type Field = Value | undefined;

/** How a channel's table is listed. Values that mean the same are different places of an index. */
interface Channel {
  table: "emails" | "chats" | "calls";
  listed: [field: string, value: Field][];
  assignee: string;
  nobody: Field[];
  pin: string;
  unpinned: Field[];
  snooze: string;
  awake: Field;
  time: string;
}

const CHANNELS: Record<Row["channel"], Channel> = {
  email: {
    table: "emails",
    listed: [
      ["folder", "inbox"],
      ["duplicateOf", undefined],
    ],
    assignee: "assignee",
    nobody: [undefined, null],
    pin: "pinned",
    unpinned: [undefined, false],
    snooze: "snoozedUntil",
    awake: undefined,
    time: "receivedAt",
  },
  chat: {
    table: "chats",
    listed: [["status", "open"]],
    assignee: "agent",
    nobody: [null],
    pin: "pinned",
    unpinned: [false],
    snooze: "snooze.until",
    awake: undefined,
    time: "lastMessageAt",
  },
  call: {
    table: "calls",
    listed: [["handled", false]],
    assignee: "agent",
    nobody: [undefined],
    pin: "starred",
    unpinned: [undefined],
    snooze: "remindAt",
    awake: null,
    time: "endedAt",
  },
};

/** A range of an index whose rows are in the order of their `at`. */
interface Stream {
  channel: Row["channel"];
  pinned: boolean;
  woken: boolean;
  index: string;
  equal: [field: string, value: Field][];
  at: string;
}

/** A place in the inbox: the row that was stored at `created`, in the stream of this number. */
interface Place {
  pinned: boolean;
  at: number;
  stream: number;
  created: number;
}

/** The part of the database reader that serves all three tables alike. */
interface Range {
  eq(field: string, value: Field): Range;
  gt(field: string, value: Field): Range;
  lt(field: string, value: Field): Range;
}
type AnyRow = Doc<"emails"> | Doc<"chats"> | Doc<"calls">;
interface Reader {
  query(table: string): {
    withIndex(
      index: string,
      range: (q: Range) => Range,
    ): { order(order: "desc"): AsyncIterable<AnyRow> };
  };
}

function listStreams(
  assignee: Id<"agents"> | null | undefined,
  only: Row["channel"] | undefined,
): Stream[] {
  const streams: Stream[] = [];
  for (const channel of ["email", "chat", "call"] as const) {
    if (only !== undefined && channel !== only) continue;
    const { listed, nobody, unpinned, snooze, awake, time, ...names } = CHANNELS[channel];
    const assignees: [string, Field][][] =
      assignee === undefined
        ? [[]]
        : (assignee === null ? nobody : [assignee]).map((value) => [[names.assignee, value]]);
    const suffix = assignee === undefined ? "" : "_of";
    for (const mine of assignees)
      for (const pin of [true, ...unpinned]) {
        const equal = [...listed, ...mine, [names.pin, pin] satisfies [string, Field]];
        const pinned = pin === true;
        streams.push({
          ...{ channel, pinned, woken: false, index: `awake${suffix}`, at: time },
          equal: [...equal, [snooze, awake]],
        });
        streams.push({
          ...{ channel, pinned, woken: true, index: `woken${suffix}`, at: snooze, equal },
        });
      }
  }
  return streams;
}

/** Yields the rows of a stream at `at` that were stored before `created`, then all earlier ones. */
async function* readStream(ctx: QueryCtx, stream: Stream, at: number, created: number) {
  const { table } = CHANNELS[stream.channel];
  const db = ctx.db as unknown as Reader;
  const base = (q: Range) =>
    stream.equal.reduce((range, [field, value]) => range.eq(field, value), q);
  const same = db
    .query(table)
    .withIndex(stream.index, (q) => base(q).eq(stream.at, at).lt("_creationTime", created));
  yield* same.order("desc");
  const earlier = db
    .query(table)
    .withIndex(stream.index, (q) => base(q).gt(stream.at, null).lt(stream.at, at));
  yield* earlier.order("desc");
}

function atOf(stream: Stream, doc: AnyRow): number {
  const at = stream.at
    .split(".")
    .reduce<unknown>((value, field) => (value as Record<string, unknown>)[field], doc);
  return at as number;
}

/** Yields the rows after a place, in the order of the inbox. */
async function* readInbox(ctx: QueryCtx, streams: Stream[], now: number, after: Place | null) {
  for (const pinned of [true, false]) {
    if (after !== null && after.pinned !== pinned && pinned) continue;
    const place = after?.pinned === pinned ? after : null;
    const heads: { docs: AsyncIterator<AnyRow>; doc: AnyRow; place: Place }[] = [];
    for (const [number, stream] of streams.entries()) {
      if (stream.pinned !== pinned) continue;
      let at = place?.at ?? Number.MAX_VALUE;
      let created = Number.MAX_VALUE;
      if (place !== null && number === place.stream) created = place.created;
      if (place !== null && number < place.stream) created = 0;
      if (stream.woken && at > now) [at, created] = [now, Number.MAX_VALUE];
      const docs = readStream(ctx, stream, at, created);
      const first = await docs.next();
      if (!first.done) heads.push({ docs, doc: first.value, place: placeOf(first.value, number) });
    }
    function placeOf(doc: AnyRow, stream: number): Place {
      return { pinned, at: atOf(streams[stream], doc), stream, created: doc._creationTime };
    }
    while (heads.length > 0) {
      heads.sort((a, b) => comparePlaces(a.place, b.place));
      const head = heads[0];
      yield { channel: streams[head.place.stream].channel, doc: head.doc, place: head.place };
      const next = await head.docs.next();
      if (next.done) heads.shift();
      else heads[0] = { ...head, doc: next.value, place: placeOf(next.value, head.place.stream) };
    }
  }
}

function comparePlaces(a: Place, b: Place): number {
  return (
    Number(b.pinned) - Number(a.pinned) ||
    b.at - a.at ||
    a.stream - b.stream ||
    b.created - a.created
  );
}

function parsePlace(cursor: string | null | undefined): Place | null {
  return cursor ? (JSON.parse(cursor) as Place) : null;
}

async function rowOf(ctx: QueryCtx, channel: Row["channel"], doc: AnyRow): Promise<Row> {
  if (channel === "email") return await emailRow(ctx, doc as Doc<"emails">);
  if (channel === "chat") return await chatRow(ctx, doc as Doc<"chats">);
  return await callRow(ctx, doc as Doc<"calls"> & { endedAt: number });
}

export const page = query({
  args: {
    paginationOpts: paginationOptsValidator,
    now: v.number(),
    assignee: v.optional(v.union(v.id("agents"), v.null())),
    channel: v.optional(v.union(v.literal("email"), v.literal("chat"), v.literal("call"))),
  },
  returns: paginationResultValidator(row),
  handler: async (ctx, { paginationOpts, now, assignee, channel }) => {
    await requireAgent(ctx);
    const end = parsePlace(paginationOpts.endCursor);
    const inbox = readInbox(
      ctx,
      listStreams(assignee, channel),
      now,
      parsePlace(paginationOpts.cursor),
    );
    const rows: Row[] = [];
    let continueCursor = paginationOpts.endCursor ?? paginationOpts.cursor ?? "";
    let isDone = true;
    for await (const { channel: own, doc, place } of inbox) {
      const isAfter =
        end === null
          ? rows.length >= paginationOpts.numItems
          : comparePlaces(place, end) > 0;
      if (isAfter) {
        isDone = false;
        break;
      }
      rows.push(await rowOf(ctx, own, doc));
      if (end === null) continueCursor = JSON.stringify(place);
    }
    return { page: rows, isDone, continueCursor };
  },
});

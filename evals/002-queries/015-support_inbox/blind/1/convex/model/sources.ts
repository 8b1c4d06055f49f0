// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { IndexRange } from "convex/server";
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import type { Key } from "./keys";
import { callRow, chatRow, emailRow, type Row } from "./rows";

/*
 * What the inbox is merged from. What is stored says the same thing in several ways (no pin or false, no
 * assignee or null, a snooze or none), and each of them is an index range of its own, so that nothing is
 * read that is not shown.
 */

export type Wanted = {
  now: number;
  assignee?: Id<"agents"> | null | undefined;
  channel?: Row["channel"] | undefined;
};

/** A part of a source, which is read from its newest row on. */
export type Span =
  | { kind: "all" }
  /** Of this time or older. */
  | { kind: "from"; at: number }
  /** Older than this. */
  | { kind: "below"; at: number }
  /** Of this time, and ended before. Only for calls. */
  | { kind: "rest"; at: number; second: number }
  /** Of this time, and created then or before. */
  | { kind: "tie"; at: number; second: number; created: number };

/** `listed` is false for what the range holds, too, but no list shows. */
export type Found = { key: Key; listed: boolean; show: () => Promise<Row> };

export type Source = {
  pinned: boolean;
  channel: number;
  read: (span: Span, limit: number) => Promise<Found[]>;
};

const EMAIL = 0;
const CHAT = 1;
const CALL = 2;

/** How a span is expressed in an index. */
type Ranges = {
  all: () => IndexRange;
  from: (at: number) => IndexRange;
  below: (at: number) => IndexRange;
  tie: (at: number, created: number, second: number) => IndexRange;
  rest?: (at: number, second: number) => IndexRange;
};

function rangeOf(span: Span, ranges: Ranges): IndexRange {
  if (span.kind === "from") return ranges.from(span.at);
  if (span.kind === "below") return ranges.below(span.at);
  if (span.kind === "tie") return ranges.tie(span.at, span.created, span.second);
  if (span.kind === "rest" && ranges.rest !== undefined) {
    return ranges.rest(span.at, span.second);
  }
  return ranges.all();
}

/** A source of rows without a snooze. */
function awake(
  pinned: boolean,
  channel: number,
  read: (span: Span, limit: number) => Promise<Found[]>,
): Source {
  return {
    pinned,
    channel,
    read: async (span, limit) => (span.kind === "rest" ? [] : await read(span, limit)),
  };
}

/** A source of rows whose snooze ended at `now` or before. */
function woken(
  pinned: boolean,
  channel: number,
  now: number,
  read: (span: Span, limit: number) => Promise<Found[]>,
): Source {
  return {
    pinned,
    channel,
    read: async (span, limit) => {
      if (span.kind === "rest" && channel !== CALL) return [];
      if (span.kind === "all") return await read({ kind: "from", at: now }, limit);
      if (span.at <= now) return await read(span, limit);
      if (span.kind === "tie" || span.kind === "rest") return [];
      return await read({ kind: "from", at: now }, limit);
    },
  };
}

/** All sources of pinned or of other rows. */
export function sourcesOf(ctx: QueryCtx, wanted: Wanted, pinned: boolean): Source[] {
  const { channel } = wanted;
  const sources: Source[] = [];
  if (Number.isNaN(wanted.now)) return sources;
  if (channel === undefined || channel === "email") {
    for (const pin of pinned ? [true] : [undefined, false]) {
      if (wanted.assignee === undefined) {
        sources.push(...emailsOf(ctx, wanted.now, pin));
        continue;
      }
      const assignees = wanted.assignee === null ? [undefined, null] : [wanted.assignee];
      for (const assignee of assignees) {
        sources.push(...assignedEmailsOf(ctx, wanted.now, pin, assignee));
      }
    }
  }
  if (channel === undefined || channel === "chat") {
    sources.push(
      ...(wanted.assignee === undefined
        ? chatsOf(ctx, wanted.now, pinned)
        : assignedChatsOf(ctx, wanted.now, pinned, wanted.assignee)),
    );
  }
  if (channel === undefined || channel === "call") {
    sources.push(
      ...(wanted.assignee === undefined
        ? callsOf(ctx, wanted.now, pinned)
        : assignedCallsOf(ctx, wanted.now, pinned, wanted.assignee ?? undefined)),
    );
  }
  return sources;
}

/** The lists take what has no snooze as snoozed until 0. */
function both(now: number, unsnoozed: Source, snoozed: Source): Source[] {
  return now >= 0 ? [unsnoozed, snoozed] : [snoozed];
}

function foundEmails(ctx: QueryCtx, emails: Doc<"emails">[]): Found[] {
  return emails.map((email) => ({
    key: {
      pinned: email.pinned ?? false,
      at: email.snoozedUntil ?? email.receivedAt,
      channel: EMAIL,
      second: 0,
      created: email._creationTime,
      id: email._id,
    },
    listed: true,
    show: () => emailRow(ctx, email),
  }));
}

function emailsOf(ctx: QueryCtx, now: number, pin: boolean | undefined): Source[] {
  const unsnoozed = awake(pin ?? false, EMAIL, async (span, limit) => {
    const emails = await ctx.db
      .query("emails")
      .withIndex("by_pin_and_received", (q) => {
        const rows = q
          .eq("folder", "inbox")
          .eq("duplicateOf", undefined)
          .eq("pinned", pin)
          .eq("snoozedUntil", undefined);
        return rangeOf(span, {
          all: () => rows,
          from: (at) => rows.lte("receivedAt", at),
          below: (at) => rows.lt("receivedAt", at),
          tie: (at, created) => rows.eq("receivedAt", at).lte("_creationTime", created),
        });
      })
      .order("desc")
      .take(limit);
    return foundEmails(ctx, emails);
  });
  const snoozed = woken(pin ?? false, EMAIL, now, async (span, limit) => {
    const emails = await ctx.db
      .query("emails")
      .withIndex("by_pin_and_snooze", (q) => {
        const rows = q.eq("folder", "inbox").eq("duplicateOf", undefined).eq("pinned", pin);
        return rangeOf(span, {
          all: () => rows.gt("snoozedUntil", undefined),
          from: (at) => rows.gt("snoozedUntil", undefined).lte("snoozedUntil", at),
          below: (at) => rows.gt("snoozedUntil", undefined).lt("snoozedUntil", at),
          tie: (at, created) => rows.eq("snoozedUntil", at).lte("_creationTime", created),
        });
      })
      .order("desc")
      .take(limit);
    return foundEmails(ctx, emails);
  });
  return both(now, unsnoozed, snoozed);
}

function assignedEmailsOf(
  ctx: QueryCtx,
  now: number,
  pin: boolean | undefined,
  assignee: Id<"agents"> | null | undefined,
): Source[] {
  const unsnoozed = awake(pin ?? false, EMAIL, async (span, limit) => {
    const emails = await ctx.db
      .query("emails")
      .withIndex("by_assignee_and_pin_and_received", (q) => {
        const rows = q
          .eq("folder", "inbox")
          .eq("duplicateOf", undefined)
          .eq("assignee", assignee)
          .eq("pinned", pin)
          .eq("snoozedUntil", undefined);
        return rangeOf(span, {
          all: () => rows,
          from: (at) => rows.lte("receivedAt", at),
          below: (at) => rows.lt("receivedAt", at),
          tie: (at, created) => rows.eq("receivedAt", at).lte("_creationTime", created),
        });
      })
      .order("desc")
      .take(limit);
    return foundEmails(ctx, emails);
  });
  const snoozed = woken(pin ?? false, EMAIL, now, async (span, limit) => {
    const emails = await ctx.db
      .query("emails")
      .withIndex("by_assignee_and_pin_and_snooze", (q) => {
        const rows = q
          .eq("folder", "inbox")
          .eq("duplicateOf", undefined)
          .eq("assignee", assignee)
          .eq("pinned", pin);
        return rangeOf(span, {
          all: () => rows.gt("snoozedUntil", undefined),
          from: (at) => rows.gt("snoozedUntil", undefined).lte("snoozedUntil", at),
          below: (at) => rows.gt("snoozedUntil", undefined).lt("snoozedUntil", at),
          tie: (at, created) => rows.eq("snoozedUntil", at).lte("_creationTime", created),
        });
      })
      .order("desc")
      .take(limit);
    return foundEmails(ctx, emails);
  });
  return both(now, unsnoozed, snoozed);
}

function foundChats(ctx: QueryCtx, chats: Doc<"chats">[]): Found[] {
  return chats.map((chat) => ({
    key: {
      pinned: chat.pinned,
      at: chat.snooze?.until ?? chat.lastMessageAt,
      channel: CHAT,
      second: 0,
      created: chat._creationTime,
      id: chat._id,
    },
    listed: true,
    show: () => chatRow(ctx, chat),
  }));
}

function chatsOf(ctx: QueryCtx, now: number, pinned: boolean): Source[] {
  const unsnoozed = awake(pinned, CHAT, async (span, limit) => {
    const chats = await ctx.db
      .query("chats")
      .withIndex("by_pin_and_message", (q) => {
        const rows = q
          .eq("status", "open")
          .eq("pinned", pinned)
          .eq("snooze.until", undefined);
        return rangeOf(span, {
          all: () => rows,
          from: (at) => rows.lte("lastMessageAt", at),
          below: (at) => rows.lt("lastMessageAt", at),
          tie: (at, created) => rows.eq("lastMessageAt", at).lte("_creationTime", created),
        });
      })
      .order("desc")
      .take(limit);
    return foundChats(ctx, chats);
  });
  const snoozed = woken(pinned, CHAT, now, async (span, limit) => {
    const chats = await ctx.db
      .query("chats")
      .withIndex("by_pin_and_snooze", (q) => {
        const rows = q.eq("status", "open").eq("pinned", pinned);
        return rangeOf(span, {
          all: () => rows.gt("snooze.until", undefined),
          from: (at) => rows.gt("snooze.until", undefined).lte("snooze.until", at),
          below: (at) => rows.gt("snooze.until", undefined).lt("snooze.until", at),
          tie: (at, created) => rows.eq("snooze.until", at).lte("_creationTime", created),
        });
      })
      .order("desc")
      .take(limit);
    return foundChats(ctx, chats);
  });
  return both(now, unsnoozed, snoozed);
}

function assignedChatsOf(
  ctx: QueryCtx,
  now: number,
  pinned: boolean,
  agent: Id<"agents"> | null,
): Source[] {
  const unsnoozed = awake(pinned, CHAT, async (span, limit) => {
    const chats = await ctx.db
      .query("chats")
      .withIndex("by_agent_and_pin_and_message", (q) => {
        const rows = q
          .eq("status", "open")
          .eq("agent", agent)
          .eq("pinned", pinned)
          .eq("snooze.until", undefined);
        return rangeOf(span, {
          all: () => rows,
          from: (at) => rows.lte("lastMessageAt", at),
          below: (at) => rows.lt("lastMessageAt", at),
          tie: (at, created) => rows.eq("lastMessageAt", at).lte("_creationTime", created),
        });
      })
      .order("desc")
      .take(limit);
    return foundChats(ctx, chats);
  });
  const snoozed = woken(pinned, CHAT, now, async (span, limit) => {
    const chats = await ctx.db
      .query("chats")
      .withIndex("by_agent_and_pin_and_snooze", (q) => {
        const rows = q.eq("status", "open").eq("agent", agent).eq("pinned", pinned);
        return rangeOf(span, {
          all: () => rows.gt("snooze.until", undefined),
          from: (at) => rows.gt("snooze.until", undefined).lte("snooze.until", at),
          below: (at) => rows.gt("snooze.until", undefined).lt("snooze.until", at),
          tie: (at, created) => rows.eq("snooze.until", at).lte("_creationTime", created),
        });
      })
      .order("desc")
      .take(limit);
    return foundChats(ctx, chats);
  });
  return both(now, unsnoozed, snoozed);
}

/** Calls with a reminder may still go on. Those come last of all with one time, and are not listed. */
function foundCalls(ctx: QueryCtx, calls: Doc<"calls">[]): Found[] {
  return calls.map(({ endedAt, ...call }) => ({
    key: {
      pinned: call.starred ?? false,
      at: call.remindAt ?? endedAt ?? 0,
      channel: CALL,
      second: endedAt ?? 0,
      created: call._creationTime,
      id: call._id,
    },
    listed: endedAt !== undefined,
    show: () => callRow(ctx, { ...call, endedAt: endedAt ?? 0 }),
  }));
}

function callsOf(ctx: QueryCtx, now: number, pinned: boolean): Source[] {
  const starred = pinned ? true : undefined;
  const unsnoozed = awake(pinned, CALL, async (span, limit) => {
    const calls = await ctx.db
      .query("calls")
      .withIndex("by_star_and_reminder", (q) => {
        const rows = q.eq("handled", false).eq("starred", starred).eq("remindAt", null);
        return rangeOf(span, {
          all: () => rows.gt("endedAt", undefined),
          from: (at) => rows.gt("endedAt", undefined).lte("endedAt", at),
          below: (at) => rows.gt("endedAt", undefined).lt("endedAt", at),
          tie: (at, created) => rows.eq("endedAt", at).lte("_creationTime", created),
        });
      })
      .order("desc")
      .take(limit);
    return foundCalls(ctx, calls);
  });
  const snoozed = woken(pinned, CALL, now, async (span, limit) => {
    const calls = await ctx.db
      .query("calls")
      .withIndex("by_star_and_reminder", (q) => {
        const rows = q.eq("handled", false).eq("starred", starred);
        return rangeOf(span, {
          all: () => rows.gt("remindAt", null),
          from: (at) => rows.gt("remindAt", null).lte("remindAt", at),
          below: (at) => rows.gt("remindAt", null).lt("remindAt", at),
          tie: (at, created, second) =>
            rows.eq("remindAt", at).eq("endedAt", second).lte("_creationTime", created),
          rest: (at, second) =>
            rows.eq("remindAt", at).gt("endedAt", undefined).lt("endedAt", second),
        });
      })
      .order("desc")
      .take(limit);
    return foundCalls(ctx, calls);
  });
  return both(now, unsnoozed, snoozed);
}

function assignedCallsOf(
  ctx: QueryCtx,
  now: number,
  pinned: boolean,
  agent: Id<"agents"> | undefined,
): Source[] {
  const starred = pinned ? true : undefined;
  const unsnoozed = awake(pinned, CALL, async (span, limit) => {
    const calls = await ctx.db
      .query("calls")
      .withIndex("by_agent_and_star_and_reminder", (q) => {
        const rows = q
          .eq("handled", false)
          .eq("agent", agent)
          .eq("starred", starred)
          .eq("remindAt", null);
        return rangeOf(span, {
          all: () => rows.gt("endedAt", undefined),
          from: (at) => rows.gt("endedAt", undefined).lte("endedAt", at),
          below: (at) => rows.gt("endedAt", undefined).lt("endedAt", at),
          tie: (at, created) => rows.eq("endedAt", at).lte("_creationTime", created),
        });
      })
      .order("desc")
      .take(limit);
    return foundCalls(ctx, calls);
  });
  const snoozed = woken(pinned, CALL, now, async (span, limit) => {
    const calls = await ctx.db
      .query("calls")
      .withIndex("by_agent_and_star_and_reminder", (q) => {
        const rows = q.eq("handled", false).eq("agent", agent).eq("starred", starred);
        return rangeOf(span, {
          all: () => rows.gt("remindAt", null),
          from: (at) => rows.gt("remindAt", null).lte("remindAt", at),
          below: (at) => rows.gt("remindAt", null).lt("remindAt", at),
          tie: (at, created, second) =>
            rows.eq("remindAt", at).eq("endedAt", second).lte("_creationTime", created),
          rest: (at, second) =>
            rows.eq("remindAt", at).gt("endedAt", undefined).lt("endedAt", second),
        });
      })
      .order("desc")
      .take(limit);
    return foundCalls(ctx, calls);
  });
  return both(now, unsnoozed, snoozed);
}

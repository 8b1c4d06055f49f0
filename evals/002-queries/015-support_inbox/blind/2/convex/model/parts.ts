// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { callRow, chatRow, emailRow, type Row } from "./rows";
import type { Entry, Part } from "./streams";

/** An agent, null for what is nobody's, undefined for all. */
type Assignee = Id<"agents"> | null | undefined;

/** The ranges of indexes that hold the rows of the inbox together, each row in one of them. */
export function partsOf(
  ctx: QueryCtx,
  assignee: Assignee,
  channel: Row["channel"] | undefined,
): Part[] {
  const parts: Part[] = [];
  if (channel === undefined || channel === "email") parts.push(...emailParts(ctx, assignee));
  if (channel === undefined || channel === "chat") parts.push(...chatParts(ctx, assignee));
  if (channel === undefined || channel === "call") parts.push(...callParts(ctx, assignee));
  return parts;
}

function emailParts(ctx: QueryCtx, assignee: Assignee): Part[] {
  const parts: Part[] = [];
  const entriesOf = (emails: Doc<"emails">[]): Entry[] =>
    emails.map((email) => ({
      pinned: email.pinned ?? false,
      at: email.snoozedUntil ?? email.receivedAt,
      created: email._creationTime,
      id: email._id,
      row: () => emailRow(ctx, email),
    }));
  for (const stored of [true, false, undefined]) {
    const pinned = stored ?? false;
    if (assignee === undefined) {
      parts.push({
        pinned,
        snoozed: false,
        read: async ({ at, created }, count) =>
          entriesOf(
            await ctx.db
              .query("emails")
              .withIndex("by_inbox_and_received", (q) => {
                const own = q
                  .eq("folder", "inbox")
                  .eq("duplicateOf", undefined)
                  .eq("pinned", stored)
                  .eq("snoozedUntil", undefined);
                return created === undefined
                  ? own.lt("receivedAt", at)
                  : own.eq("receivedAt", at).lte("_creationTime", created);
              })
              .order("desc")
              .take(count),
          ),
      });
      parts.push({
        pinned,
        snoozed: true,
        read: async ({ at, created }, count) =>
          entriesOf(
            await ctx.db
              .query("emails")
              .withIndex("by_inbox_and_snoozed", (q) => {
                const own = q
                  .eq("folder", "inbox")
                  .eq("duplicateOf", undefined)
                  .eq("pinned", stored);
                return created === undefined
                  ? own.gt("snoozedUntil", undefined).lt("snoozedUntil", at)
                  : own.eq("snoozedUntil", at).lte("_creationTime", created);
              })
              .order("desc")
              .take(count),
          ),
      });
      continue;
    }
    for (const owner of assignee === null ? [null, undefined] : [assignee]) {
      parts.push({
        pinned,
        snoozed: false,
        read: async ({ at, created }, count) =>
          entriesOf(
            await ctx.db
              .query("emails")
              .withIndex("by_assignee_and_received", (q) => {
                const own = q
                  .eq("folder", "inbox")
                  .eq("duplicateOf", undefined)
                  .eq("assignee", owner)
                  .eq("pinned", stored)
                  .eq("snoozedUntil", undefined);
                return created === undefined
                  ? own.lt("receivedAt", at)
                  : own.eq("receivedAt", at).lte("_creationTime", created);
              })
              .order("desc")
              .take(count),
          ),
      });
      parts.push({
        pinned,
        snoozed: true,
        read: async ({ at, created }, count) =>
          entriesOf(
            await ctx.db
              .query("emails")
              .withIndex("by_assignee_and_snoozed", (q) => {
                const own = q
                  .eq("folder", "inbox")
                  .eq("duplicateOf", undefined)
                  .eq("assignee", owner)
                  .eq("pinned", stored);
                return created === undefined
                  ? own.gt("snoozedUntil", undefined).lt("snoozedUntil", at)
                  : own.eq("snoozedUntil", at).lte("_creationTime", created);
              })
              .order("desc")
              .take(count),
          ),
      });
    }
  }
  return parts;
}

function chatParts(ctx: QueryCtx, assignee: Assignee): Part[] {
  const parts: Part[] = [];
  const entriesOf = (chats: Doc<"chats">[]): Entry[] =>
    chats.map((chat) => ({
      pinned: chat.pinned,
      at: chat.snooze?.until ?? chat.lastMessageAt,
      created: chat._creationTime,
      id: chat._id,
      row: () => chatRow(ctx, chat),
    }));
  for (const pinned of [true, false]) {
    if (assignee === undefined) {
      parts.push({
        pinned,
        snoozed: false,
        read: async ({ at, created }, count) =>
          entriesOf(
            await ctx.db
              .query("chats")
              .withIndex("by_status_and_message", (q) => {
                const own = q
                  .eq("status", "open")
                  .eq("pinned", pinned)
                  .eq("snooze.until", undefined);
                return created === undefined
                  ? own.lt("lastMessageAt", at)
                  : own.eq("lastMessageAt", at).lte("_creationTime", created);
              })
              .order("desc")
              .take(count),
          ),
      });
      parts.push({
        pinned,
        snoozed: true,
        read: async ({ at, created }, count) =>
          entriesOf(
            await ctx.db
              .query("chats")
              .withIndex("by_status_and_snoozed", (q) => {
                const own = q.eq("status", "open").eq("pinned", pinned);
                return created === undefined
                  ? own.gt("snooze.until", undefined).lt("snooze.until", at)
                  : own.eq("snooze.until", at).lte("_creationTime", created);
              })
              .order("desc")
              .take(count),
          ),
      });
      continue;
    }
    parts.push({
      pinned,
      snoozed: false,
      read: async ({ at, created }, count) =>
        entriesOf(
          await ctx.db
            .query("chats")
            .withIndex("by_agent_and_message", (q) => {
              const own = q
                .eq("status", "open")
                .eq("agent", assignee)
                .eq("pinned", pinned)
                .eq("snooze.until", undefined);
              return created === undefined
                ? own.lt("lastMessageAt", at)
                : own.eq("lastMessageAt", at).lte("_creationTime", created);
            })
            .order("desc")
            .take(count),
        ),
    });
    parts.push({
      pinned,
      snoozed: true,
      read: async ({ at, created }, count) =>
        entriesOf(
          await ctx.db
            .query("chats")
            .withIndex("by_agent_and_snoozed", (q) => {
              const own = q.eq("status", "open").eq("agent", assignee).eq("pinned", pinned);
              return created === undefined
                ? own.gt("snooze.until", undefined).lt("snooze.until", at)
                : own.eq("snooze.until", at).lte("_creationTime", created);
            })
            .order("desc")
            .take(count),
        ),
    });
  }
  return parts;
}

function callParts(ctx: QueryCtx, assignee: Assignee): Part[] {
  const parts: Part[] = [];
  const entriesOf = (calls: Doc<"calls">[]): Entry[] =>
    calls.map(({ endedAt, ...call }) => ({
      pinned: call.starred ?? false,
      at: call.remindAt ?? endedAt ?? 0,
      created: call._creationTime,
      id: call._id,
      // A call that goes on is not listed, whatever one is to be reminded of.
      row: endedAt === undefined ? null : () => callRow(ctx, { ...call, endedAt }),
    }));
  for (const starred of [true, undefined] as const) {
    const pinned = starred ?? false;
    if (assignee === undefined) {
      parts.push({
        pinned,
        snoozed: false,
        read: async ({ at, created }, count) =>
          entriesOf(
            await ctx.db
              .query("calls")
              .withIndex("by_handled_and_ended", (q) => {
                const own = q.eq("handled", false).eq("starred", starred).eq("remindAt", null);
                return created === undefined
                  ? own.gt("endedAt", undefined).lt("endedAt", at)
                  : own.eq("endedAt", at).lte("_creationTime", created);
              })
              .order("desc")
              .take(count),
          ),
      });
      parts.push({
        pinned,
        snoozed: true,
        read: async ({ at, created }, count) =>
          entriesOf(
            await ctx.db
              .query("calls")
              .withIndex("by_handled_and_remind", (q) => {
                const own = q.eq("handled", false).eq("starred", starred);
                return created === undefined
                  ? own.gt("remindAt", null).lt("remindAt", at)
                  : own.eq("remindAt", at).lte("_creationTime", created);
              })
              .order("desc")
              .take(count),
          ),
      });
      continue;
    }
    const agent = assignee ?? undefined;
    parts.push({
      pinned,
      snoozed: false,
      read: async ({ at, created }, count) =>
        entriesOf(
          await ctx.db
            .query("calls")
            .withIndex("by_agent_and_ended", (q) => {
              const own = q
                .eq("handled", false)
                .eq("agent", agent)
                .eq("starred", starred)
                .eq("remindAt", null);
              return created === undefined
                ? own.gt("endedAt", undefined).lt("endedAt", at)
                : own.eq("endedAt", at).lte("_creationTime", created);
            })
            .order("desc")
            .take(count),
        ),
    });
    parts.push({
      pinned,
      snoozed: true,
      read: async ({ at, created }, count) =>
        entriesOf(
          await ctx.db
            .query("calls")
            .withIndex("by_agent_and_remind", (q) => {
              const own = q.eq("handled", false).eq("agent", agent).eq("starred", starred);
              return created === undefined
                ? own.gt("remindAt", null).lt("remindAt", at)
                : own.eq("remindAt", at).lte("_creationTime", created);
            })
            .order("desc")
            .take(count),
        ),
    });
  }
  return parts;
}

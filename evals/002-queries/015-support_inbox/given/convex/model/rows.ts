// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/** A line of a list, whatever the channel. */
export const row = v.object({
  channel: v.union(v.literal("email"), v.literal("chat"), v.literal("call")),
  id: v.union(v.id("emails"), v.id("chats"), v.id("calls")),
  title: v.string(),
  customer: v.union(v.string(), v.null()),
  // What lists are ordered by: when something came up last. That is the end of its snooze, or, if it
  // has none, its last message.
  at: v.number(),
  pinned: v.boolean(),
  unread: v.boolean(),
  assignee: v.union(v.id("agents"), v.null()),
});
export type Row = Infer<typeof row>;

/** Pinned rows first, then the newest. */
export function compareRows(a: Row, b: Row): number {
  return Number(b.pinned) - Number(a.pinned) || b.at - a.at;
}

async function nameOf(ctx: QueryCtx, id: Id<"customers"> | undefined): Promise<string | null> {
  const customer = id === undefined ? null : await ctx.db.get("customers", id);
  return customer?.name ?? null;
}

export async function emailRow(ctx: QueryCtx, email: Doc<"emails">): Promise<Row> {
  return {
    channel: "email",
    id: email._id,
    title: email.subject === "" ? "(no subject)" : email.subject,
    customer: await nameOf(ctx, email.customer),
    at: email.snoozedUntil ?? email.receivedAt,
    pinned: email.pinned ?? false,
    unread: !email.read,
    assignee: email.assignee ?? null,
  };
}

export async function chatRow(ctx: QueryCtx, chat: Doc<"chats">): Promise<Row> {
  return {
    channel: "chat",
    id: chat._id,
    title: chat.topic,
    customer: await nameOf(ctx, chat.customer),
    at: chat.snooze?.until ?? chat.lastMessageAt,
    pinned: chat.pinned,
    unread: chat.unread > 0,
    assignee: chat.agent,
  };
}

export async function callRow(
  ctx: QueryCtx,
  call: Doc<"calls"> & { endedAt: number },
): Promise<Row> {
  return {
    channel: "call",
    id: call._id,
    title: `Call from ${call.number}`,
    customer: await nameOf(ctx, call.customer),
    at: call.remindAt ?? call.endedAt,
    pinned: call.starred ?? false,
    unread: !call.heard,
    assignee: call.agent ?? null,
  };
}

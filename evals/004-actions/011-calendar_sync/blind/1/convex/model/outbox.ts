// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { MINUTE_MS } from "../lib/time";
import { changeEvent, removeEvent } from "./events";

/*
 * What users do is told to Kalendo: one request about an event at a time.
 */

export const SILENCE_MS = 15 * MINUTE_MS;

type Wanted = Doc<"outbox">["wanted"];

export async function findOutbox(
  ctx: MutationCtx,
  owner: string,
  remote: string,
): Promise<Doc<"outbox"> | null> {
  return await ctx.db
    .query("outbox")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner).eq("remote", remote))
    .unique();
}

/** Begins a request, unless one is under way. */
export async function send(ctx: MutationCtx, row: Doc<"outbox">): Promise<void> {
  const now = Date.now();
  if (row.sentAt !== undefined && now - row.sentAt < SILENCE_MS) return;
  const attempt = row.attempt + 1;
  await ctx.db.patch("outbox", row._id, { attempt, sentSeq: row.seq, sentAt: now });
  const { remote, wanted } = row;
  await ctx.scheduler.runAfter(0, internal.kalendo.telling.tell, {
    row: row._id,
    attempt,
    remote,
    wanted,
  });
}

async function want(
  ctx: MutationCtx,
  owner: string,
  remote: string,
  wanted: Wanted,
): Promise<void> {
  const former = await findOutbox(ctx, owner, remote);
  let id = former?._id;
  if (former === null || id === undefined) {
    id = await ctx.db.insert("outbox", {
      owner,
      remote,
      wanted,
      seq: 1,
      attempt: 0,
      sentSeq: 0,
    });
  } else {
    await ctx.db.patch("outbox", id, { wanted, seq: former.seq + 1 });
  }
  const row = await ctx.db.get("outbox", id);
  if (row !== null) await send(ctx, row);
}

/** Tells again what was not confirmed. */
export async function sendAll(ctx: MutationCtx, owner: string): Promise<void> {
  const rows = await ctx.db
    .query("outbox")
    .withIndex("by_owner_and_remote", (q) => q.eq("owner", owner))
    .take(500);
  for (const row of rows) await send(ctx, row);
}

export async function changeByUser(
  ctx: MutationCtx,
  event: Doc<"events">,
  change: Partial<Pick<Doc<"events">, "title" | "start" | "end">>,
): Promise<void> {
  await changeEvent(ctx, event, change);
  const { title, start, end } = { ...event, ...change };
  const isSame = title === event.title && start === event.start && end === event.end;
  if (event.remote === undefined || isSame) return;
  await want(ctx, event.owner, event.remote, { title, start, end });
}

export async function removeByUser(ctx: MutationCtx, event: Doc<"events">): Promise<void> {
  await removeEvent(ctx, event);
  if (event.remote !== undefined) await want(ctx, event.owner, event.remote, null);
}

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation } from "../_generated/server";
import { changeEvent } from "../model/events";
import { copiesOf, dropDeleted } from "../model/merging";
import { send } from "../model/outbox";
import { settle } from "../model/runs";
import { writeEvent } from "./client";

const request = { row: v.id("outbox"), attempt: v.number() };

/** Tells Kalendo what a user did. */
export const tell = internalAction({
  args: {
    ...request,
    remote: v.string(),
    wanted: v.nullable(v.object({ title: v.string(), start: v.number(), end: v.number() })),
  },
  returns: v.null(),
  handler: async (ctx, { row, attempt, remote, wanted }): Promise<null> => {
    let version: number | null;
    try {
      version = await writeEvent(remote, wanted);
    } catch (error) {
      console.error(error);
      await ctx.runMutation(internal.kalendo.telling.failed, { row, attempt });
      return null;
    }
    await ctx.runMutation(internal.kalendo.telling.confirmed, {
      row,
      attempt,
      version,
      isDeletion: wanted === null,
    });
    return null;
  },
});

export const failed = internalMutation({
  args: request,
  returns: v.null(),
  handler: async (ctx, { row: id, attempt }) => {
    const row = await ctx.db.get("outbox", id);
    if (row === null || row.attempt !== attempt) return null;
    await ctx.db.patch("outbox", id, { sentAt: undefined });
    if (row.seq !== row.sentSeq) await send(ctx, { ...row, sentAt: undefined });
    return null;
  },
});

export const confirmed = internalMutation({
  args: { ...request, version: v.nullable(v.number()), isDeletion: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { row: id, attempt, version, isDeletion }) => {
    const row = await ctx.db.get("outbox", id);
    if (row === null || row.attempt !== attempt) return null;
    const { owner, remote, latest } = row;
    if (isDeletion || version === null) {
      await dropDeleted(ctx, owner, remote, version ?? Number.MAX_SAFE_INTEGER);
      return null;
    }
    const [event] = await copiesOf(ctx, owner, remote);
    if (row.seq !== row.sentSeq) {
      if (event !== undefined) {
        await changeEvent(ctx, event, { version: Math.max(version, event.version ?? -1) });
      }
      await ctx.db.patch("outbox", id, { sentAt: undefined });
      await send(ctx, { ...row, sentAt: undefined });
      return null;
    }
    await ctx.db.delete("outbox", id);
    if (event === undefined) return null;
    if (latest !== undefined && latest.version > version) await changeEvent(ctx, event, latest);
    else await changeEvent(ctx, event, { version });
    if (event.leftAt !== undefined) await settle(ctx, owner);
    return null;
  },
});

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { changeEvent, removeEvent } from "./events";

/*
 * What users do to events. Kalendo is told of it; what a sync does goes through model/events.ts.
 */

export async function editEvent(
  ctx: MutationCtx,
  event: Doc<"events">,
  change: { title?: string; start?: number; end?: number },
): Promise<void> {
  if (event.remote === undefined) {
    await changeEvent(ctx, event, change);
    return;
  }
  await changeEvent(ctx, event, { ...change, edit: crypto.randomUUID() });
  await ctx.scheduler.runAfter(0, internal.kalendo.pushing.pushEdit, { event: event._id });
}

export async function withdrawEvent(ctx: MutationCtx, event: Doc<"events">): Promise<void> {
  await removeEvent(ctx, event);
  const { owner, calendar, remote } = event;
  if (remote === undefined) return;
  const removal = await ctx.db.insert("removals", { owner, calendar, remote, isConfirmed: false });
  await ctx.scheduler.runAfter(0, internal.kalendo.pushing.pushRemoval, { removal });
}

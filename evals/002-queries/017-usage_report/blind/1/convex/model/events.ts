// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { LATEST, MAX_PER_MINUTE, MINUTE } from "../constants";
import { refreshMinutes } from "./totals";

function checkMoment(at: number) {
  const now = Date.now();
  if (at > now || at <= now - LATEST) throw new ConvexError("too early or too late");
}

function checkAmount(amount: number) {
  if (!Number.isInteger(amount) || amount < 0) throw new ConvexError("bad amount");
}

async function checkRoom(ctx: MutationCtx, meter: Id<"meters">, at: number) {
  const minute = Math.floor(at / MINUTE) * MINUTE;
  const events = await ctx.db
    .query("events")
    .withIndex("by_meter", (q) =>
      q.eq("meter", meter).gte("at", minute).lt("at", minute + MINUTE),
    )
    .collect();
  if (events.length >= MAX_PER_MINUTE) throw new ConvexError("too many events");
}

export function findEvent(ctx: MutationCtx, meter: Id<"meters">, key: string) {
  return ctx.db
    .query("events")
    .withIndex("by_key", (q) => q.eq("meter", meter).eq("key", key))
    .unique();
}

/**
 * Stores an event, and tells whether it is new. The caller refreshes the minutes of all events that
 * it stored.
 */
export async function insertEvent(
  ctx: MutationCtx,
  event: Pick<Doc<"events">, "meter" | "key" | "at" | "amount">,
): Promise<boolean> {
  checkMoment(event.at);
  checkAmount(event.amount);
  if ((await findEvent(ctx, event.meter, event.key)) !== null) return false;
  await checkRoom(ctx, event.meter, event.at);
  await ctx.db.insert("events", { ...event, retracted: false });
  return true;
}

export async function correctEvent(
  ctx: MutationCtx,
  event: Doc<"events">,
  changes: { at?: number; amount?: number },
) {
  if (event.retracted) throw new ConvexError("retracted");
  if (changes.amount !== undefined) checkAmount(changes.amount);
  if (changes.at !== undefined) {
    checkMoment(changes.at);
    await checkRoom(ctx, event.meter, changes.at);
  }
  await ctx.db.patch("events", event._id, changes);
  const { meter, at } = event;
  await refreshMinutes(ctx, [
    { meter, at },
    { meter, at: changes.at ?? at },
  ]);
}

export async function retractEvents(ctx: MutationCtx, events: Doc<"events">[]) {
  for (const event of events) await ctx.db.patch("events", event._id, { retracted: true });
  await refreshMinutes(ctx, events);
}

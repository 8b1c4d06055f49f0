// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { book, tell } from "./book";
import { DAY } from "./time";

const LOW = 10;

export type Part = { lot: Id<"lots">; credits: number };

/** The lots with something left, in the order in which they are used. */
export async function usableLots(ctx: QueryCtx, member: Id<"members">) {
  const lots = await ctx.db
    .query("lots")
    .withIndex("by_member", (q) => q.eq("member", member).gt("ends", Date.now()))
    .collect();
  return lots.filter(({ left }) => left > 0);
}

export async function countAvailable(ctx: QueryCtx, member: Id<"members">) {
  return (await usableLots(ctx, member)).reduce((sum, { left }) => sum + left, 0);
}

/** The open holds; one that has lapsed is open no more. */
export async function openHolds(ctx: QueryCtx, member: Id<"members">) {
  const holds = await ctx.db
    .query("holds")
    .withIndex("by_member", (q) => q.eq("member", member).eq("state", "open"))
    .collect();
  return holds.filter(({ lapses }) => lapses > Date.now());
}

export function countParts(parts: Part[]) {
  return parts.reduce((sum, { credits }) => sum + credits, 0);
}

export async function addLot(
  ctx: MutationCtx,
  member: Id<"members">,
  credits: number,
  ends: number,
) {
  const lot = await ctx.db.insert("lots", { member, ends, left: credits, withdrawn: false });
  await ctx.scheduler.runAt(ends, internal.jobs.end, { lot });
  const notice = ends - 2 * DAY;
  if (notice > Date.now()) await ctx.scheduler.runAt(notice, internal.jobs.remind, { member, ends });
  return lot;
}

/** Takes credits off the lots, or nothing if there are not enough. Returns where they were. */
export async function take(ctx: MutationCtx, member: Id<"members">, credits: number) {
  const lots = await usableLots(ctx, member);
  const before = lots.reduce((sum, { left }) => sum + left, 0);
  if (before < credits) return null;
  const parts: (Part & { ends: number })[] = [];
  let open = credits;
  for (const { _id: lot, left, ends } of lots) {
    const taken = Math.min(left, open);
    if (taken === 0) break;
    await ctx.db.patch("lots", lot, { left: left - taken });
    parts.push({ lot, credits: taken, ends });
    open -= taken;
  }
  if (before >= LOW && before - credits < LOW) await tell(ctx, member, "low");
  return parts;
}

/** Gives credits back to where they were before `at`. */
export async function giveBack(
  ctx: MutationCtx,
  member: Id<"members">,
  parts: Part[],
  at: number,
) {
  for (const { lot: id, credits } of parts) {
    const lot = await ctx.db.get("lots", id);
    if (lot === null) throw new Error("lots are never deleted");
    if (lot.withdrawn) await book(ctx, member, "withdrawn", -credits, at);
    else if (lot.ends <= at) await book(ctx, member, "expired", -credits, at);
    else await ctx.db.patch("lots", id, { left: lot.left + credits });
  }
}

/** Parts a list of parts after its first credits. */
export function splitParts(parts: Part[], credits: number) {
  const first: Part[] = [];
  const rest: Part[] = [];
  let open = credits;
  for (const { lot, credits: all } of parts) {
    const taken = Math.min(all, open);
    open -= taken;
    if (taken > 0) first.push({ lot, credits: taken });
    if (taken < all) rest.push({ lot, credits: all - taken });
  }
  return { first, rest };
}

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { KEPT_FOR } from "../constants";
import { scoreOf } from "./scores";
import { deleteKey, insertKey, type Key } from "./tree";

export const WORLD = "world";

export function entryOf(ctx: QueryCtx, player: Id<"players">) {
  return ctx.db
    .query("entries")
    .withIndex("by_player", (q) => q.eq("player", player))
    .unique();
}

function wakeOf(ctx: QueryCtx, player: Id<"players">) {
  return ctx.db
    .query("wakes")
    .withIndex("by_player", (q) => q.eq("player", player))
    .unique();
}

/** Makes the entry of a player what it has to be now, after any change of the player or a game. */
export async function refresh(ctx: MutationCtx, id: Id<"players">) {
  const player = await ctx.db.get("players", id);
  const { score, until } =
    player === null ? { score: 0, until: null } : await scoreOf(ctx, player);
  await placeEntry(ctx, id, score > 0 ? player : null, -score);
  await planWake(ctx, id, until);
}

async function placeEntry(
  ctx: MutationCtx,
  id: Id<"players">,
  player: Doc<"players"> | null,
  order: number,
) {
  const entry = await entryOf(ctx, id);
  if (
    entry?.name === player?.name &&
    entry?.country === player?.country &&
    (entry === null || entry.order === order)
  )
    return;
  if (entry !== null) {
    const key: Key = [entry.order, entry.name];
    for (const board of [WORLD, entry.country]) await deleteKey(ctx, board, key, id);
    await ctx.db.delete("entries", entry._id);
  }
  if (player === null) return;
  const { name, country } = player;
  for (const board of [WORLD, country]) await insertKey(ctx, board, [order, name], id);
  await ctx.db.insert("entries", { player: id, order, name, country });
}

async function planWake(ctx: MutationCtx, player: Id<"players">, until: number | null) {
  const at = until === null ? null : Math.min(until, Date.now() + KEPT_FOR);
  const wake = await wakeOf(ctx, player);
  if (wake !== null && wake.at === at) return;
  if (wake !== null) {
    await ctx.scheduler.cancel(wake.job);
    await ctx.db.delete("wakes", wake._id);
  }
  if (at === null) return;
  const job = await ctx.scheduler.runAt(at, internal.wakes.run, { player });
  await ctx.db.insert("wakes", { player, at, job });
}

export async function dropWake(ctx: MutationCtx, player: Id<"players">) {
  const wake = await wakeOf(ctx, player);
  if (wake !== null) await ctx.db.delete("wakes", wake._id);
}

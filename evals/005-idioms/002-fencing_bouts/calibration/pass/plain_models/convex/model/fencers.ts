// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

export async function best(ctx: QueryCtx, count: number) {
  const fencers = [];
  for await (const fencer of ctx.db.query("fencers").withIndex("by_rating").order("desc")) {
    const { _id, name, rating } = fencer;
    fencers.push({ _id, name, rating });
    if (fencers.length === count) break;
  }
  return fencers;
}

export async function transferPoints(
  ctx: MutationCtx,
  { from, to, points }: { from: Id<"fencers">; to: Id<"fencers">; points: number },
) {
  const [loser, winner] = await Promise.all([ctx.db.get(from), ctx.db.get(to)]);
  if (!loser || !winner) throw new Error("A bout refers to fencers that are there");
  await Promise.all([
    ctx.db.patch(from, { rating: loser.rating - points }),
    ctx.db.patch(to, { rating: winner.rating + points }),
  ]);
}

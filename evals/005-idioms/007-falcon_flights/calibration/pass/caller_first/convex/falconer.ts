// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";

/** Who is calling, and what of the database is theirs. */
export async function falconer(ctx: QueryCtx) {
  const identity = await ctx.auth.getUserIdentity();
  if (!identity) throw new ConvexError("not signed in");
  const me = identity.tokenIdentifier;

  const birdOrNull = async (id: Id<"birds">) => {
    const bird = await ctx.db.get(id);
    return bird && bird.owner === me ? bird : null;
  };
  return {
    me,
    async bird(id: Id<"birds">) {
      const bird = await birdOrNull(id);
      if (!bird) throw new ConvexError("no such bird");
      return bird;
    },
    async flight(id: Id<"flights">) {
      const flight = await ctx.db.get(id);
      if (!flight || !(await birdOrNull(flight.bird))) throw new ConvexError("no such flight");
      return flight;
    },
    flightsOf: (bird: Id<"birds">) =>
      ctx.db.query("flights").withIndex("by_bird", (q) => q.eq("bird", bird)),
  };
}

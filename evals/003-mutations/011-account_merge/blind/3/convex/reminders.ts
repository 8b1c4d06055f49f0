// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { notify } from "./model/accounts";
import { idsOf } from "./model/riders";
import { signupsUnder } from "./model/rides";

/** Reminds a rider of a ride, unless they are not going or were reminded by the job of another account. */
export const send = internalMutation({
  args: { ride: v.id("rides"), rider: v.id("riders") },
  returns: v.null(),
  handler: async (ctx, { ride: id, rider }) => {
    const ride = await ctx.db.get("rides", id);
    const signups = await signupsUnder(ctx, id, await idsOf(ctx, rider));
    const signup = signups.at(0);
    if (ride === null || signup?.state !== "going") return null;
    if (signups.some(({ isReminded }) => isReminded === true)) return null;
    await ctx.db.patch("signups", signup._id, { isReminded: true });
    await notify(ctx, rider, `Tomorrow: ${ride.title}`);
    return null;
  },
});

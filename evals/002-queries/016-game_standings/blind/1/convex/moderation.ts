// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "./_generated/server";
import { changePlayer } from "./model/boards";
import { playerByName, requireStaff } from "./model/viewer";

/** Whoever is suspended goes on playing, and stands on no board until then. */
export const suspend = mutation({
  args: { name: v.string(), until: v.number() },
  returns: v.null(),
  handler: async (ctx, { name, until }) => {
    await requireStaff(ctx);
    const player = await playerByName(ctx, name);
    await changePlayer(ctx, player, { suspendedUntil: until });
    return null;
  },
});

export const lift = mutation({
  args: { name: v.string() },
  returns: v.null(),
  handler: async (ctx, { name }) => {
    await requireStaff(ctx);
    const player = await playerByName(ctx, name);
    await changePlayer(ctx, player, { suspendedUntil: undefined });
    return null;
  },
});

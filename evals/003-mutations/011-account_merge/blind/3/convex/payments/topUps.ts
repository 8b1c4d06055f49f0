// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import {
  internalAction,
  internalMutation,
  internalQuery,
  mutation,
  query,
} from "../_generated/server";
import { refuse } from "../lib/errors";
import { requireRider } from "../lib/session";
import { changeCredit, notify } from "../model/accounts";
import { currentId } from "../model/riders";
import { collect } from "./bank";

/** Begins to fill up the caller's credit. */
export const start = mutation({
  args: { amount: v.number() },
  returns: v.id("topUps"),
  handler: async (ctx, { amount }) => {
    const { _id: rider } = await requireRider(ctx);
    if (!Number.isInteger(amount) || amount <= 0) refuse("invalid");
    const topUp = await ctx.db.insert("topUps", { rider, amount, state: "open" });
    await ctx.scheduler.runAfter(0, internal.payments.topUps.collectMoney, {
      topUp,
      rider,
      amount,
    });
    return topUp;
  },
});

/** The present id of the rider who pays: the account may have been merged since the job was made. */
export const payer = internalQuery({
  args: { rider: v.id("riders") },
  returns: v.id("riders"),
  handler: async (ctx, { rider }): Promise<Id<"riders">> => await currentId(ctx, rider),
});

export const collectMoney = internalAction({
  args: { topUp: v.id("topUps"), rider: v.id("riders"), amount: v.number() },
  returns: v.null(),
  handler: async (ctx, { topUp, rider: id, amount }): Promise<null> => {
    const rider: Id<"riders"> = await ctx.runQuery(internal.payments.topUps.payer, { rider: id });
    const isTaken = await collect(rider, amount);
    await ctx.runMutation(internal.payments.topUps.finish, { topUp, rider, amount, isTaken });
    return null;
  },
});

export const finish = internalMutation({
  args: {
    topUp: v.id("topUps"),
    rider: v.id("riders"),
    amount: v.number(),
    isTaken: v.boolean(),
  },
  returns: v.null(),
  handler: async (ctx, { topUp, rider, amount, isTaken }) => {
    await ctx.db.patch("topUps", topUp, { state: isTaken ? "done" : "failed" });
    if (isTaken) await changeCredit(ctx, rider, amount, "Top-up");
    await notify(ctx, rider, isTaken ? "Your credit is filled up" : "The bank has refused");
    return null;
  },
});

/** How one of the caller's top-ups is going. */
export const state = query({
  args: { topUp: v.id("topUps") },
  returns: v.union(v.literal("open"), v.literal("done"), v.literal("failed")),
  handler: async (ctx, { topUp: id }) => {
    const rider = await requireRider(ctx);
    const topUp = await ctx.db.get("topUps", id);
    if (topUp === null || (await currentId(ctx, topUp.rider)) !== rider._id) {
      return refuse("not_found");
    }
    return topUp.state;
  },
});

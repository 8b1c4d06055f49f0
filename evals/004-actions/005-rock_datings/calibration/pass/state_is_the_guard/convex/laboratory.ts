// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalMutation, internalQuery } from "./_generated/server";
import { dated, failed } from "./schema";

/** Asks for a dating that still waits; what was withdrawn is noticed only here. */
export const send = internalAction({
  args: { id: v.id("datings") },
  handler: async (ctx, { id }): Promise<void> => {
    const body = await ctx.runQuery(internal.laboratory.request, { id });
    if (body === null) return;

    let reason = "no answer";
    try {
      const reply = await fetch("https://lab.datings.test/orders", {
        method: "POST",
        headers: new Headers({ "content-type": "application/json" }),
        body,
      });
      const text = await reply.text();
      if (reply.status === 200) {
        const { ageMa } = JSON.parse(text);
        if (typeof ageMa === "number") {
          await ctx.runMutation(internal.laboratory.conclude, {
            id,
            outcome: { state: "dated", ageMa },
          });
          return;
        }
      } else if (reply.status === 422) {
        const parsed = JSON.parse(text);
        if (typeof parsed.reason === "string") reason = parsed.reason;
      }
    } catch (error) {
      console.warn("The laboratory could not be asked", error);
    }
    await ctx.runMutation(internal.laboratory.conclude, {
      id,
      outcome: { state: "failed", reason },
    });
  },
});

export const request = internalQuery({
  args: { id: v.id("datings") },
  handler: async (ctx, { id }) => {
    const dating = await ctx.db.get(id);
    if (dating === null || dating.outcome.state !== "waiting") return null;
    return JSON.stringify({ sample: dating.sample, grams: dating.grams });
  },
});

export const conclude = internalMutation({
  args: { id: v.id("datings"), outcome: v.union(dated, failed) },
  handler: async (ctx, { id, outcome }) => {
    const dating = await ctx.db.get(id);
    if (dating && dating.outcome.state === "waiting") await ctx.db.patch(id, { outcome });
  },
});

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, mutation } from "./_generated/server";
import { attempt, reasonOf, refuse } from "./lib/attempt";
import { findMember, requireMember } from "./lib/session";
import { checkMinutes, transfer } from "./model/ledger";

const answer = v.object({ ok: v.boolean(), reason: v.nullable(v.string()) });

/** Gives minutes to another member. */
export const pay = mutation({
  args: { to: v.id("members"), minutes: v.number(), text: v.string() },
  returns: answer,
  handler: async (ctx, { to, minutes, text }) => {
    const { _id: from } = await requireMember(ctx);
    checkMinutes(minutes);
    if (to === from) refuse("that is you");
    const paid = await attempt(() => transfer(ctx, { kind: "payment", text, from, to, minutes }));
    return { ok: paid.ok, reason: paid.ok ? null : paid.reason };
  },
});

/** Books what partners report, with the subjects of both members. */
export const receive = internalMutation({
  args: { from: v.string(), to: v.string(), minutes: v.number(), text: v.string() },
  returns: answer,
  handler: async (ctx, { from, to, minutes, text }) => {
    const [giver, taker] = [await findMember(ctx, from), await findMember(ctx, to)];
    if (giver === null || taker === null) return { ok: false, reason: "not a member" };
    try {
      checkMinutes(minutes);
      const both = { from: giver._id, to: taker._id };
      await transfer(ctx, { kind: "payment", text, minutes, ...both });
    } catch (error) {
      return { ok: false, reason: reasonOf(error) };
    }
    return { ok: true, reason: null };
  },
});

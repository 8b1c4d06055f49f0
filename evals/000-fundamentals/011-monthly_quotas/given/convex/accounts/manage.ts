// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import { mutation, query, type QueryCtx } from "../_generated/server";
import { fail } from "../lib/errors";
import { nextMonth } from "../lib/months";
import { plan } from "../schema";
import { IMAGES, limitAt, planAt } from "./limits";

/** Return an account of the caller. */
export async function requireAccount(
  ctx: QueryCtx,
  id: Id<"accounts">,
): Promise<Doc<"accounts">> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) {
    throw fail("not_signed_in");
  }
  const account = await ctx.db.get("accounts", id);
  if (account?.owner !== identity.tokenIdentifier) {
    throw fail("not_allowed");
  }
  return account;
}

export const create = mutation({
  args: { name: v.string() },
  returns: v.id("accounts"),
  handler: async (ctx, { name }) => {
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null) {
      throw fail("not_signed_in");
    }
    return await ctx.db.insert("accounts", { owner: identity.tokenIdentifier, name, plan: "free" });
  },
});

export const get = query({
  args: { account: v.id("accounts"), now: v.number() },
  returns: v.object({ name: v.string(), plan, limit: v.number() }),
  handler: async (ctx, { account: id, now }) => {
    const account = await requireAccount(ctx, id);
    return {
      name: account.name,
      plan: planAt(account, now),
      limit: await limitAt(ctx, account, now),
    };
  },
});

/** Choose a plan: a larger one holds at once, a smaller one from the next month. */
export const choosePlan = mutation({
  args: { account: v.id("accounts"), plan },
  returns: v.null(),
  handler: async (ctx, args) => {
    const account = await requireAccount(ctx, args.account);
    const now = Date.now();
    const present = planAt(account, now);
    if (IMAGES[args.plan] >= IMAGES[present]) {
      await ctx.db.patch("accounts", account._id, { plan: args.plan, next: undefined });
    } else {
      const next = { plan: args.plan, from: nextMonth(now) };
      await ctx.db.patch("accounts", account._id, { plan: present, next });
    }
    return null;
  },
});

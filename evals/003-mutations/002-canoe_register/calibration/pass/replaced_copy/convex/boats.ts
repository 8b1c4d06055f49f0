// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, type MutationCtx } from "./_generated/server";

/** Changes a copy of the document, and puts it in the place of the stored one. */
async function edit(ctx: MutationCtx, id: Id<"boats">, change: (boat: Doc<"boats">) => void) {
  const boat = await ctx.db.get(id);
  if (!boat) throw new Error("no boat");
  change(boat);
  await ctx.db.replace(id, boat);
  return null;
}

const boat = v.id("boats");

export const paint = mutation({
  args: { boat, colour: v.nullable(v.string()) },
  handler: (ctx, { boat, colour }) =>
    edit(ctx, boat, ({ hull }) => {
      if (colour === null) delete hull.colour;
      else hull.colour = colour;
    }),
});

export const move = mutation({
  args: { boat, bay: v.optional(v.string()), tier: v.optional(v.number()) },
  handler: (ctx, { boat, ...given }) =>
    edit(ctx, boat, (stored) => {
      if (stored.rack) {
        Object.assign(stored.rack, given);
      } else {
        if (given.bay === undefined || given.tier === undefined) throw new Error("no rack");
        stored.rack = { bay: given.bay, tier: given.tier };
      }
    }),
});

export const stow = mutation({
  args: { boat, thing: v.string(), count: v.number() },
  handler: (ctx, { boat, thing, count }) =>
    edit(ctx, boat, ({ gear }) => {
      gear[thing] = count;
      if (count === 0) delete gear[thing];
    }),
});

export const lend = mutation({
  args: { boat, borrower: v.string() },
  handler: (ctx, { boat, borrower }) =>
    edit(ctx, boat, (stored) => {
      stored.borrower = borrower;
      delete stored.rack;
    }),
});

export const bringBack = mutation({
  args: { boat, remark: v.optional(v.string()) },
  handler: (ctx, { boat, remark }) =>
    edit(ctx, boat, (stored) => {
      delete stored.borrower;
      stored.remark = remark ?? stored.remark;
    }),
});

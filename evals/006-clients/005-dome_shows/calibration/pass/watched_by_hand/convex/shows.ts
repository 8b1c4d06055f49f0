// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";

import { mutation, query } from "./_generated/server";
import schema from "./schema";

const { fields } = schema.tables.shows.validator;

function checked(code: string): string {
  if (code.length !== 3 || /[^0-9A-Z]/.test(code)) throw new ConvexError("Not a code.");
  return code;
}

export const byCode = query({
  args: { code: fields.code },
  returns: v.nullable(v.object({ ...fields, _id: v.id("shows"), _creationTime: v.number() })),
  handler: (ctx, args) => {
    const code = checked(args.code);
    return ctx.db.query("shows").withIndex("by_code", (q) => q.eq("code", code)).first();
  },
});

export const takeSeat = mutation({
  args: { show: v.id("shows") },
  returns: v.null(),
  handler: async (ctx, { show }) => {
    const seats = (await ctx.db.get("shows", show))?.seats ?? 0;
    if (seats === 0) throw new ConvexError("Sold out.");
    await ctx.db.patch("shows", show, { seats: seats - 1 });
    return null;
  },
});

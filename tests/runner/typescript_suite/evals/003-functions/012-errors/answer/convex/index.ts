import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";

export const fail = mutation({
  args: { code: v.number() },
  handler: async (_ctx, { code }) => {
    throw new ConvexError({ code });
  },
});

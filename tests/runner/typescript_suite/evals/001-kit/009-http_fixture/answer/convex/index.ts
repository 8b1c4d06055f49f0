import { v } from "convex/values";
import { action } from "./_generated/server";

export const get = action({
  args: { url: v.string() },
  handler: async (_ctx, { url }) => {
    const response = await fetch(url);
    return { status: response.status, body: await response.json() };
  },
});

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction } from "./_generated/server";

export const run = internalAction({
  args: { id: v.id("reports") },
  handler: async (ctx, { id }): Promise<string | null> => {
    const body = await ctx.runQuery(internal.storage.question, { id });
    if (!body) return null;

    let plausible: unknown;
    try {
      const response = await fetch(
        new Request("https://verify.quakes.test/check", {
          method: "POST",
          headers: new Headers({ "content-type": "application/json" }),
          body: JSON.stringify(body),
        }),
      );
      if (response.status === 200) {
        plausible = JSON.parse(await response.text())?.plausible;
      }
    } catch (error) {
      console.warn("The service cannot be reached", error);
    }
    return await ctx.runMutation(internal.storage.finish, {
      id,
      plausible: typeof plausible === "boolean" ? plausible : null,
    });
  },
});

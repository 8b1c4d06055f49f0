// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { refuse } from "../lib/errors";
import { requireStaff } from "../lib/session";
import { payTutor } from "../payments";

/** The tutor did not come, as the student has told us. */
export const report = mutation({
  args: { lesson: v.id("lessons") },
  returns: v.null(),
  handler: async (ctx, { lesson: id }) => {
    await requireStaff(ctx);
    const lesson = (await ctx.db.get("lessons", id)) ?? refuse("not_found");
    if (lesson.state !== "booked") refuse("closed");
    await ctx.db.patch("lessons", id, { state: "cancelled" });
    await payTutor(ctx, lesson, 0);
    return null;
  },
});

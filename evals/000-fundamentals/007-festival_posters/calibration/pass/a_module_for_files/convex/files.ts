// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";

type Reason = "gone" | "in_use" | "not_an_image" | "too_large";

/** Says why a file cannot be a poster's, and whether nobody has any use for it. */
export async function inspect(
  ctx: QueryCtx,
  file: Id<"_storage">,
): Promise<{ reason: Reason | null; worthless: boolean }> {
  const stored = await ctx.db.system.get(file);
  if (!stored) return { reason: "gone", worthless: false };
  const posters = ctx.db.query("posters").withIndex("file", (q) => q.eq("file", file));
  if (await posters.first()) return { reason: "in_use", worthless: false };
  if (stored.contentType !== "image/png" && stored.contentType !== "image/jpeg") {
    return { reason: "not_an_image", worthless: true };
  }
  if (stored.size > 50000) return { reason: "too_large", worthless: true };
  return { reason: null, worthless: false };
}

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, type MutationCtx } from "./_generated/server";
import { cardOf, insertCard, insertProfile, profileOf } from "./model/copies";

/** A call stops after this many documents: with the largest post it still reads fewer than 500. */
const ENOUGH = 150;

async function convertUser(ctx: MutationCtx, user: Doc<"users">): Promise<number> {
  if ((await profileOf(ctx, user._id)) === null) await insertProfile(ctx, user);
  return 2;
}

async function convertPost(ctx: MutationCtx, post: Doc<"posts">): Promise<number> {
  if ((await cardOf(ctx, post._id)) !== null) return 2;
  const likes = await ctx.db
    .query("likes")
    .withIndex("by_post", (q) => q.eq("post", post._id))
    .collect();
  const comments = await ctx.db
    .query("comments")
    .withIndex("by_post", (q) => q.eq("post", post._id))
    .collect();
  const shown = comments.filter((comment) => !comment.removed);
  await insertCard(ctx, post, { likes: likes.length, comments: shown.length });
  return 1 + likes.length + comments.length;
}

export const next = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const begin = { table: "users" as const, from: 0 };
    const state = await ctx.db.query("migration").unique();
    const id = state?._id ?? (await ctx.db.insert("migration", begin));
    const { table, from } = state ?? begin;
    if (table === null) return true;

    let reads = 0;
    if (table === "users") {
      const users = ctx.db
        .query("users")
        .withIndex("by_creation_time", (q) => q.gte("_creationTime", from));
      for await (const user of users) {
        if (reads > ENOUGH) {
          await ctx.db.patch("migration", id, { from: user._creationTime });
          return false;
        }
        reads += await convertUser(ctx, user);
      }
      await ctx.db.patch("migration", id, { table: "posts", from: 0 });
      return false;
    }
    const posts = ctx.db
      .query("posts")
      .withIndex("by_creation_time", (q) => q.gte("_creationTime", from));
    for await (const post of posts) {
      if (reads > ENOUGH) {
        await ctx.db.patch("migration", id, { from: post._creationTime });
        return false;
      }
      reads += await convertPost(ctx, post);
    }
    await ctx.db.patch("migration", id, { table: null });
    return true;
  },
});

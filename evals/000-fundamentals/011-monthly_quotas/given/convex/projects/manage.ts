// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { requireAccount } from "../accounts/manage";
import { requireProject } from "./find";

export const create = mutation({
  args: { account: v.id("accounts"), name: v.string() },
  returns: v.id("projects"),
  handler: async (ctx, args) => {
    await requireAccount(ctx, args.account);
    return await ctx.db.insert("projects", args);
  },
});

export const list = query({
  args: { account: v.id("accounts") },
  returns: v.array(v.object({ _id: v.id("projects"), name: v.string() })),
  handler: async (ctx, { account }) => {
    await requireAccount(ctx, account);
    const projects = await ctx.db
      .query("projects")
      .withIndex("by_account", (q) => q.eq("account", account))
      .take(200);
    return projects
      .filter((project) => project.deletedAt === undefined)
      .map(({ _id, name }) => ({ _id, name }));
  },
});

export const rename = mutation({
  args: { project: v.id("projects"), name: v.string() },
  returns: v.null(),
  handler: async (ctx, { project, name }) => {
    await requireProject(ctx, project);
    await ctx.db.patch("projects", project, { name });
    return null;
  },
});

/** Delete a project. Its keys are good for nothing from now on, and its batches stop. */
export const remove = mutation({
  args: { project: v.id("projects") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const project = await requireProject(ctx, args.project);
    await ctx.db.patch("projects", project._id, { deletedAt: Date.now() });
    return null;
  },
});

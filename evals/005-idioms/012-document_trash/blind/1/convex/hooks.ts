// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalQuery, mutation } from "./_generated/server";
import { findDocument, requireAdmin } from "./model/access";

const what = {
  hook: v.id("hooks"),
  kind: v.string(),
  document: v.optional(v.id("documents")),
  removed: v.optional(v.object({ number: v.number(), title: v.string() })),
};

export const add = mutation({
  args: { workspace: v.id("workspaces"), url: v.string() },
  returns: v.id("hooks"),
  handler: async (ctx, { workspace, url }) => {
    await requireAdmin(ctx, workspace);
    return await ctx.db.insert("hooks", { workspace, url });
  },
});

/** The request to make; null if there is nothing to tell any more. */
export const prepare = internalQuery({
  args: what,
  returns: v.union(v.object({ url: v.string(), body: v.string() }), v.null()),
  handler: async (ctx, { hook: id, kind, document: about, removed }) => {
    const hook = await ctx.db.get("hooks", id);
    if (hook === null) return null;
    const document = about === undefined ? removed : await findDocument(ctx, about);
    if (!document) return null;
    const { number, title } = document;
    return { url: hook.url, body: JSON.stringify({ kind, number, title }) };
  },
});

export const deliver = internalAction({
  args: what,
  returns: v.null(),
  handler: async (ctx, args): Promise<null> => {
    const message: { url: string; body: string } | null = await ctx.runQuery(
      internal.hooks.prepare,
      args,
    );
    if (message !== null) await fetch(message.url, { method: "POST", body: message.body });
    return null;
  },
});

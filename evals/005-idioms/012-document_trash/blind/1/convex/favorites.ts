// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { findDocument, requireDocument, requireMember } from "./model/access";

export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.object({ document: v.id("documents"), title: v.string() })),
  handler: async (ctx, { workspace }) => {
    const { favorites } = await requireMember(ctx, workspace);
    const documents = await Promise.all(favorites.map((id) => findDocument(ctx, id)));
    return documents
      .filter((document) => document !== null)
      .map(({ _id, title }) => ({ document: _id, title }));
  },
});

export const add = mutation({
  args: { document: v.id("documents") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { document, member } = await requireDocument(ctx, args.document);
    if (member.favorites.includes(document._id)) return null;
    await ctx.db.patch("members", member._id, { favorites: [...member.favorites, document._id] });
    return null;
  },
});

export const drop = mutation({
  args: { document: v.id("documents") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { document, member } = await requireDocument(ctx, args.document);
    await ctx.db.patch("members", member._id, {
      favorites: member.favorites.filter((id) => id !== document._id),
    });
    return null;
  },
});

/** Moves a favorite to a place in the member's list: 0 is the first. */
export const place = mutation({
  args: { document: v.id("documents"), to: v.number() },
  returns: v.null(),
  handler: async (ctx, { document: id, to }) => {
    const { document, member } = await requireDocument(ctx, id);
    if (!member.favorites.includes(document._id)) throw new ConvexError("not a favorite");
    const others = member.favorites.filter((favorite) => favorite !== document._id);
    // Places are those of the list that the member sees; what is in the trash stays between.
    const documents = await Promise.all(others.map((other) => findDocument(ctx, other)));
    const seen = others.filter((_, index) => documents[index] !== null);
    const next = seen.slice(to)[0];
    const at = next === undefined ? others.length : others.indexOf(next);
    await ctx.db.patch("members", member._id, {
      favorites: [...others.slice(0, at), document._id, ...others.slice(at)],
    });
    return null;
  },
});

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator } from "convex/server";
import { ConvexError, v } from "convex/values";

import type { Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx } from "./_generated/server";
import { placeValidator, rankFor } from "./lib/ranks";
import { changeSize, getList } from "./lib/sizes";
import { label } from "./schema";

/** The cards of a list from the top, or those that have a label. */
export const page = query({
  args: {
    list: v.id("lists"),
    label: v.optional(label),
    paginationOpts: paginationOptsValidator,
  },
  handler: async (ctx, args) => {
    const cards =
      args.label === undefined
        ? ctx.db.query("cards").withIndex("by_list", (q) => q.eq("list", args.list))
        : ctx.db
            .query("cards")
            .withIndex("by_list_and_label", (q) =>
              q.eq("list", args.list).eq("label", args.label),
            );
    return await cards.paginate(args.paginationOpts);
  },
});

/** A person's cards that are not closed, by the day on which they are due. */
export const ofPerson = query({
  args: { person: v.string() },
  handler: async (ctx, { person }) => {
    return await ctx.db
      .query("cards")
      .withIndex("by_person", (q) => q.eq("person", person).eq("closedAt", undefined))
      .take(100);
  },
});

/** Adds a card at the bottom of a list. */
export const add = mutation({
  args: {
    list: v.id("lists"),
    title: v.string(),
    due: v.number(),
    label: v.optional(label),
    person: v.optional(v.string()),
  },
  returns: v.id("cards"),
  handler: async (ctx, args) => {
    const { isDone } = await getList(ctx, args.list);
    const rank = await rankFor(ctx, args.list, { kind: "bottom" });
    await changeSize(ctx, args.list, 1);
    const closed = isDone ? { closedAt: Date.now() } : {};
    return await ctx.db.insert("cards", { ...args, rank, isBlocked: false, ...closed });
  },
});

/**
 * Moves a card to a place in its list or in another one. A card that comes into a done list is
 * closed, and one that leaves it is open again.
 */
export const move = mutation({
  args: { card: v.id("cards"), list: v.id("lists"), place: placeValidator },
  returns: v.null(),
  handler: async (ctx, { card, list, place }) => {
    const { list: from, isBlocked, closedAt } = await getCard(ctx, card);
    const { name, isDone, limit, size } = await getList(ctx, list);
    if (from !== list) {
      if (isDone && isBlocked) throw new ConvexError({ code: "blocked", list: name });
      if (limit !== undefined && size >= limit) throw new ConvexError({ code: "full", list: name });
      await changeSize(ctx, from, -1);
      await changeSize(ctx, list, 1);
    }
    const rank = await rankFor(ctx, list, place, card);
    await ctx.db.patch("cards", card, {
      list,
      rank,
      closedAt: isDone ? (closedAt ?? Date.now()) : undefined,
    });
    return null;
  },
});

export const block = mutation({
  args: { card: v.id("cards"), isBlocked: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { card, isBlocked }) => {
    await ctx.db.patch("cards", card, { isBlocked });
    return null;
  },
});

export const remove = mutation({
  args: { card: v.id("cards") },
  returns: v.null(),
  handler: async (ctx, { card }) => {
    const { list } = await getCard(ctx, card);
    await changeSize(ctx, list, -1);
    await ctx.db.delete("cards", card);
    return null;
  },
});

async function getCard(ctx: MutationCtx, card: Id<"cards">) {
  const found = await ctx.db.get("cards", card);
  if (found === null) throw new ConvexError({ code: "gone" });
  return found;
}

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { MutationCtx, QueryCtx } from "./_generated/server";

export interface Title {
  number: number;
  text: string;
}

const inOrder = (titles: Title[]): Title[] =>
  titles.map(({ number, text }) => ({ number, text })).sort((a, b) => a.number - b.number);

export async function scriptOf(ctx: QueryCtx, opera: string) {
  const lines = ctx.db.query("lines").withIndex("opera", (q) => q.eq("opera", opera));
  return inOrder(await lines.collect());
}

export async function titlesOf(ctx: QueryCtx, opera: string, language: string) {
  return inOrder(await documents(ctx, opera, language));
}

/** Brings the stored titles in line with the given ones: changed, added and removed. */
export async function replaceTitles(
  ctx: MutationCtx,
  opera: string,
  language: string,
  titles: Title[],
) {
  const old = new Map((await documents(ctx, opera, language)).map((one) => [one.number, one]));
  for (const { number, text } of titles) {
    if (text.length > 80) throw new ConvexError({ code: "too_long", number });
    const known = old.get(number);
    if (known) await ctx.db.patch(known._id, { text });
    else await ctx.db.insert("surtitles", { opera, language, number, text });
    old.delete(number);
  }
  await Promise.all([...old.values()].map((one) => ctx.db.delete(one._id)));
}

async function documents(ctx: QueryCtx, opera: string, language: string) {
  return await ctx.db
    .query("surtitles")
    .withIndex("translation", (q) => q.eq("language", language).eq("opera", opera))
    .collect();
}

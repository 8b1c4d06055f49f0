// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";
import { mutation, query } from "./_generated/server";
import { add, found, type Sums } from "./ledger";
import { waits } from "./schema";

const written = waits.omit("office");

export const accept = mutation({
  args: { office: v.string(), telegrams: v.array(written) },
  returns: v.array(v.id("telegrams")),
  handler: async (ctx, { office, telegrams }) => {
    const ids = [];
    for (const telegram of telegrams) {
      ids.push(await ctx.db.insert("telegrams", { ...checked(telegram), office }));
      await add(ctx, office, { telegrams: 1, words: telegram.words });
    }
    return ids;
  },
});

function checked(telegram: Infer<typeof written>) {
  if (telegram.words < 1) {
    throw new ConvexError("no words");
  }
  return telegram;
}

export const deliver = mutation({
  args: { ids: v.array(v.id("telegrams")) },
  returns: v.number(),
  handler: async (ctx, { ids }) => {
    const known = await Promise.all([...new Set(ids)].map((id) => ctx.db.get(id)));
    const telegrams = known.filter((telegram) => telegram !== null);
    await Promise.all(telegrams.map(({ _id }) => ctx.db.delete(_id)));
    const changes = new Map<string, Sums>();
    for (const { office, words } of telegrams) {
      const { telegrams: count, words: sum } = changes.get(office) ?? { telegrams: 0, words: 0 };
      changes.set(office, { telegrams: count - 1, words: sum - words });
    }
    await Promise.all([...changes].map(([office, sums]) => add(ctx, office, sums)));
    return telegrams.length;
  },
});

export const reroute = mutation({
  args: { id: v.id("telegrams"), office: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { id, office }) => {
    const telegram = await ctx.db.get(id);
    if (telegram && telegram.office !== office) {
      await ctx.db.replace(id, { addressee: telegram.addressee, words: telegram.words, office });
      await add(ctx, telegram.office, { telegrams: -1, words: -telegram.words });
      await add(ctx, office, { telegrams: 1, words: telegram.words });
    }
    return telegram !== null;
  },
});

export const waiting = query({
  args: { office: v.string() },
  returns: v.object({ telegrams: v.number(), words: v.number() }),
  handler: async (ctx, { office }) => {
    const page = await found(ctx, office);
    return page === null ? { telegrams: 0, words: 0 } : page.sums;
  },
});

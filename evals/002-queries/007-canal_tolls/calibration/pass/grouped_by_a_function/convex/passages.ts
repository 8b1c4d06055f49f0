// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";

type Passage = Doc<"passages">;

const sums = v.object({
  passages: v.number(),
  tolls: v.number(),
  averageToll: v.nullable(v.number()),
  weighed: v.number(),
  averageTonnes: v.nullable(v.number()),
  heaviest: v.nullable(v.number()),
});

const add = (a: number, b: number) => a + b;

function mean(numbers: number[]): number | null {
  return numbers.length ? numbers.reduce(add) / numbers.length : null;
}

function describe(passages: Passage[]): typeof sums.type {
  const tolls = passages.map((passage) => passage.toll);
  const tonnes = passages
    .map((passage) => passage.tonnes)
    .filter((weight): weight is number => weight !== undefined)
    .sort((a, b) => b - a);
  return {
    passages: passages.length,
    tolls: tolls.reduce(add, 0),
    averageToll: mean(tolls),
    weighed: tonnes.length,
    averageTonnes: mean(tonnes),
    heaviest: tonnes[0] ?? null,
  };
}

function groups(passages: Passage[]): [string, Passage[]][] {
  const found: Record<string, Passage[]> = Object.create(null);
  for (const passage of passages) (found[passage.lock] ??= []).push(passage);
  return Object.entries(found);
}

async function ofKind(
  ctx: QueryCtx,
  kind: Passage["kind"],
  { canal, from, to }: { canal: string; from: number; to: number },
) {
  return await ctx.db
    .query("passages")
    .withIndex("by_canal_kind_and_at", (q) =>
      q.eq("canal", canal).eq("kind", kind).gte("at", from).lt("at", to),
    )
    .collect();
}

export const account = query({
  args: { canal: v.string(), from: v.number(), to: v.number() },
  returns: v.object({
    total: sums,
    kinds: v.object({ cargo: sums, passenger: sums, pleasure: sums }),
    locks: v.array(v.object({ lock: v.string(), passages: v.number(), tolls: v.number() })),
  }),
  handler: async (ctx, args) => {
    const days = (args.to - args.from) / (24 * 3600 * 1000);
    if (days > 31) throw new ConvexError("more than 31 days");
    const [cargo, passenger, pleasure] = await Promise.all([
      ofKind(ctx, "cargo", args),
      ofKind(ctx, "passenger", args),
      ofKind(ctx, "pleasure", args),
    ]);
    const all = [...cargo, ...passenger, ...pleasure];
    return {
      total: describe(all),
      kinds: {
        cargo: describe(cargo),
        passenger: describe(passenger),
        pleasure: describe(pleasure),
      },
      locks: groups(all)
        .map(([lock, passages]) => {
          const { tolls } = describe(passages);
          return { lock, passages: passages.length, tolls };
        })
        .sort((a, b) => {
          if (a.passages !== b.passages) return b.passages - a.passages;
          return a.lock > b.lock ? 1 : -1;
        }),
    };
  },
});

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { query } from "./_generated/server";

const LONGEST_MS = 31 * 24 * 60 * 60 * 1000;

type Passage = Doc<"passages">;

export const account = query({
  args: { canal: v.string(), from: v.number(), to: v.number() },
  handler: async (ctx, { canal, from, to }) => {
    if (to - from > LONGEST_MS) {
      throw new ConvexError("more than 31 days");
    }
    const passages = await ctx.db
      .query("passages")
      .withIndex("by_canal_and_at", (q) => q.eq("canal", canal).gte("at", from).lte("at", to))
      .collect();
    const ofKind = (kind: Passage["kind"]) => sumUp(passages.filter((one) => one.kind === kind));
    return {
      total: sumUp(passages),
      kinds: {
        cargo: ofKind("cargo"),
        passenger: ofKind("passenger"),
        pleasure: ofKind("pleasure"),
      },
      locks: byLock(passages),
    };
  },
});

function sumUp(passages: Passage[]) {
  const tonnes = passages.flatMap((passage) => passage.tonnes ?? []);
  const tolls = sum(passages.map((passage) => passage.toll));
  return {
    passages: passages.length,
    tolls,
    averageToll: passages.length === 0 ? null : tolls / passages.length,
    weighed: tonnes.length,
    averageTonnes: tonnes.length === 0 ? null : sum(tonnes) / tonnes.length,
    heaviest: tonnes.length === 0 ? null : Math.max(...tonnes),
  };
}

function byLock(passages: Passage[]) {
  const locks = new Map<string, { lock: string; passages: number; tolls: number }>();
  for (const { lock, toll } of passages) {
    const sums = locks.get(lock) ?? { lock, passages: 0, tolls: 0 };
    locks.set(lock, { lock, passages: sums.passages + 1, tolls: sums.tolls + toll });
  }
  return [...locks.values()].sort(
    (a, b) => b.passages - a.passages || (a.lock < b.lock ? -1 : 1),
  );
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { query } from "./_generated/server";

const DAYS = 31;

class Sums {
  passages = 0;
  tolls = 0;
  weighed = 0;
  tonnes = 0;
  heaviest: number | null = null;

  add(toll: number, tonnes: number | undefined) {
    this.passages += 1;
    this.tolls += toll;
    if (tonnes === undefined) return;
    this.weighed++;
    this.tonnes += tonnes;
    if (this.heaviest === null || tonnes > this.heaviest) this.heaviest = tonnes;
  }

  result() {
    const { passages, tolls, weighed, tonnes, heaviest } = this;
    return {
      passages,
      tolls,
      averageToll: passages > 0 ? tolls / passages : null,
      weighed,
      averageTonnes: weighed > 0 ? tonnes / weighed : null,
      heaviest,
    };
  }
}

export const account = query({
  args: { canal: v.string(), from: v.number(), to: v.number() },
  handler: async (ctx, args) => {
    if (args.to > args.from + DAYS * 86_400_000) throw new ConvexError(`more than ${DAYS} days`);
    const total = new Sums();
    const kinds = { cargo: new Sums(), passenger: new Sums(), pleasure: new Sums() };
    const locks = new Map<string, Sums>();
    const stretch = ctx.db
      .query("passages")
      .withIndex("by_canal_and_at", (q) =>
        q.eq("canal", args.canal).gte("at", args.from).lt("at", args.to),
      );
    for await (const { kind, lock, toll, tonnes } of stretch) {
      if (!locks.has(lock)) locks.set(lock, new Sums());
      for (const sums of [total, kinds[kind], locks.get(lock)]) sums?.add(toll, tonnes);
    }
    const names = [...locks.keys()].sort();
    const counted = names.map((lock) => {
      const { passages, tolls } = locks.get(lock) ?? new Sums();
      return { lock, passages, tolls };
    });
    counted.sort((one, other) => other.passages - one.passages);
    return {
      total: total.result(),
      kinds: {
        cargo: kinds.cargo.result(),
        passenger: kinds.passenger.result(),
        pleasure: kinds.pleasure.result(),
      },
      locks: counted,
    };
  },
});

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, type Infer, type Value } from "convex/values";
import { mutation, type MutationCtx } from "./_generated/server";
import { request } from "./schema";

type Request = Infer<typeof request>;

function refuse(code: string, more: Record<string, Value> = {}): never {
  throw new ConvexError({ code, ...more });
}

async function answeredBefore(ctx: MutationCtx, { key, from, to, crates }: Request) {
  const [move] = await ctx.db
    .query("moves")
    .withIndex("by_key_and_from", (q) => q.eq("key", key))
    .take(1);
  if (!move) return null;
  const isSame = move.from === from && move.to === to && move.crates === crates;
  return isSame ? move.result : refuse("KEY_REUSED");
}

async function carry(ctx: MutationCtx, { from, to, crates }: Request) {
  if (crates % 1 !== 0 || !(crates > 0)) refuse("BAD_COUNT");
  if (from === to) refuse("SAME_CELLAR");
  const cellars = await Promise.all([ctx.db.get(from), ctx.db.get(to)]);
  const [source, target] = cellars.map((cellar) => cellar ?? refuse("NO_CELLAR"));
  const fromLeft = source.crates - crates;
  const toHas = target.crates + crates;
  if (fromLeft < 0) refuse("TOO_FEW", { left: source.crates });
  if (toHas > target.capacity) refuse("NO_ROOM", { room: target.capacity - target.crates });
  await ctx.db.replace(from, { ...source, crates: fromLeft });
  await ctx.db.replace(to, { ...target, crates: toHas });
  return { fromLeft, toHas };
}

export const move = mutation({
  args: request,
  handler: async (ctx, args) => {
    const before = await answeredBefore(ctx, args);
    if (before) return before;
    const result = await carry(ctx, args);
    await ctx.db.insert("moves", { ...args, result });
    return result;
  },
});

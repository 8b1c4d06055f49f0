// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { FunctionHandle } from "convex/server";
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { internalMutation, mutation, query, type MutationCtx } from "./_generated/server";
import { checkAmount, findUse, getAccount, getHold } from "./checks";

const DAY_MS = 24 * 60 * 60 * 1000;
const LONGEST_MS = 14 * DAY_MS;

type Ending = { hold: string; reference: string; until: number };

export const place = mutation({
  args: {
    account: v.string(),
    amount: v.int64(),
    reference: v.string(),
    until: v.number(),
    onEnding: v.string(),
  },
  returns: v.union(
    v.object({ kind: v.literal("held"), hold: v.string() }),
    v.object({ kind: v.literal("closed"), hold: v.string() }),
    v.object({ kind: v.literal("declined") }),
  ),
  handler: async (ctx, { account: text, amount, reference, until, onEnding }) => {
    checkAmount(amount);
    const account = await getAccount(ctx, text);
    const used = await findUse(ctx, { reference, account, amount, isHold: true });
    if (used?.hold !== undefined) {
      const former = await ctx.db.get("holds", used.hold);
      const kind = former?.state === "open" ? ("held" as const) : ("closed" as const);
      return { kind, hold: used.hold };
    }
    checkUntil(until);
    if (account.available < amount) return { kind: "declined" as const };
    await ctx.db.patch("accounts", account._id, {
      available: account.available - amount,
      held: account.held + amount,
    });
    const hold = await ctx.db.insert("holds", {
      account: account._id,
      amount,
      state: "open",
      until,
      reference,
      onEnding,
    });
    await ctx.db.insert("references", { reference, account: account._id, amount, hold });
    await setTimers(ctx, hold, until);
    return { kind: "held" as const, hold };
  },
});

export const renew = mutation({
  args: { hold: v.string(), until: v.number() },
  returns: v.boolean(),
  handler: async (ctx, { hold: text, until }) => {
    const hold = await getHold(ctx, text);
    checkUntil(until);
    if (hold.state !== "open") return false;
    await ctx.db.patch("holds", hold._id, { until });
    await setTimers(ctx, hold._id, until);
    return true;
  },
});

export const settle = mutation({
  args: {
    hold: v.string(),
    parts: v.array(v.object({ account: v.string(), amount: v.int64() })),
  },
  returns: v.boolean(),
  handler: async (ctx, { hold: text, parts }) => {
    const hold = await getHold(ctx, text);
    if (parts.length === 0) throw new Error("purse: a settlement has at least one part");
    if (new Set(parts.map(({ account }) => account)).size < parts.length) {
      throw new Error("purse: an account is named twice");
    }
    for (const { amount } of parts) checkAmount(amount);
    const paid = parts.reduce((sum, { amount }) => sum + amount, 0n);
    if (paid > hold.amount) throw new Error("purse: the parts are more than what is held");
    if (hold.state !== "open") return false;
    await close(ctx, hold, "settled", hold.amount - paid);
    for (const { account: to, amount } of parts) {
      const account = await getAccount(ctx, to);
      await ctx.db.patch("accounts", account._id, { available: account.available + amount });
    }
    return true;
  },
});

export const release = mutation({
  args: { hold: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { hold: text }) => {
    const hold = await getHold(ctx, text);
    if (hold.state !== "open") return false;
    await close(ctx, hold, "released", hold.amount);
    return true;
  },
});

export const get = query({
  args: { hold: v.string() },
  returns: v.nullable(
    v.object({
      state: v.string(),
      amount: v.int64(),
      until: v.number(),
      reference: v.string(),
    }),
  ),
  handler: async (ctx, { hold: text }) => {
    const id = ctx.db.normalizeId("holds", text);
    const hold = id && (await ctx.db.get("holds", id));
    if (!hold) return null;
    const { state, amount, until, reference } = hold;
    return { state, amount, until, reference };
  },
});

export const warn = internalMutation({
  args: { hold: v.id("holds"), until: v.number() },
  returns: v.null(),
  handler: async (ctx, { hold: id, until }) => {
    const hold = await ctx.db.get("holds", id);
    if (hold?.state !== "open" || hold.until !== until) return null;
    const handle = hold.onEnding as FunctionHandle<"mutation", Ending>;
    await ctx.runMutation(handle, { hold: id, reference: hold.reference, until });
    return null;
  },
});

export const end = internalMutation({
  args: { hold: v.id("holds"), until: v.number() },
  returns: v.null(),
  handler: async (ctx, { hold: id, until }) => {
    const hold = await ctx.db.get("holds", id);
    if (hold?.state === "open" && hold.until === until) await close(ctx, hold, "ended", hold.amount);
    return null;
  },
});

function checkUntil(until: number): void {
  const now = Date.now();
  if (!(until > now)) throw new Error("purse: the end of a hold is in the future");
  if (until > now + LONGEST_MS) throw new Error("purse: a hold ends within 14 days");
}

async function setTimers(ctx: MutationCtx, hold: Id<"holds">, until: number): Promise<void> {
  const warnAt = Math.max(Date.now(), until - DAY_MS);
  await ctx.scheduler.runAt(warnAt, internal.holds.warn, { hold, until });
  await ctx.scheduler.runAt(until, internal.holds.end, { hold, until });
}

/** Closes a hold; `back` of its amount becomes available to its owner. */
async function close(
  ctx: MutationCtx,
  hold: Doc<"holds">,
  state: "settled" | "released" | "ended",
  back: bigint,
): Promise<void> {
  await ctx.db.patch("holds", hold._id, { state });
  const account = await getAccount(ctx, hold.account);
  await ctx.db.patch("accounts", account._id, {
    available: account.available + back,
    held: account.held - hold.amount,
  });
}

# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The backend of workshop credits in another handwriting: a document for each account, no jobs."""

from typing import Final

REWRITTEN: Final = {
    "convex/schema.ts": """\
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  accounts: defineTable({
    holder: v.string(),
    name: v.string(),
    data: v.any(),
  }).index("of_holder", ["holder"]),
});
""",
    "convex/core/account.ts": """\
import { ConvexError } from "convex/values";
import type { MutationCtx, QueryCtx } from "../_generated/server";

const DAY = 86_400_000;

export type Piece = { lot: string; credits: number };
export type Lot = { id: string; ends: number; left: number; state: string; reminds: boolean };
export type Hold = {
  id: string;
  purpose: string;
  pieces: Piece[];
  state: string;
  lapses: number;
  captured: number;
  back: number;
};
export type Entry = { kind: string; credits: number; at: number; balance: number };
export type Data = {
  serial: number;
  lots: Lot[];
  holds: Hold[];
  entries: Entry[];
  notices: string[];
  sent: { key: string; at: number; credits: number }[];
};
export type Account = { _id: string; holder: string; name: string; data: Data };

export const deny = (why: string): never => {
  throw new ConvexError(why);
};

export const midnightOf = (time: number) => Math.floor(time / DAY) * DAY;

export async function caller(ctx: QueryCtx) {
  const identity = await ctx.auth.getUserIdentity();
  if (!identity) return deny("not signed in");
  return { holder: `${identity.issuer} ${identity.subject}`, staff: identity.role === "staff" };
}

export async function staffOnly(ctx: QueryCtx) {
  if (!(await caller(ctx)).staff) deny("not allowed");
}

export async function everybody(ctx: QueryCtx): Promise<Account[]> {
  const accounts = (await ctx.db.query("accounts").collect()) as unknown as Account[];
  for (const { data } of accounts) settle(data, Date.now());
  return accounts;
}

export async function own(ctx: QueryCtx): Promise<Account> {
  const { holder } = await caller(ctx);
  const mine = (await everybody(ctx)).find((account) => account.holder === holder);
  return mine ?? deny("not a member");
}

export async function named(ctx: QueryCtx, name: string): Promise<Account | undefined> {
  const wanted = name.toUpperCase();
  return (await everybody(ctx)).find((account) => account.name.toUpperCase() === wanted);
}

export async function save(ctx: MutationCtx, { _id, data }: Account) {
  await ctx.db.patch(_id as never, { data } as never);
}

/** Does what fell due until now, in the order of time. */
export function settle(data: Data, now: number) {
  for (;;) {
    const events: { at: number; run: () => void }[] = [];
    for (const lot of data.lots) {
      if (lot.reminds) events.push({ at: lot.ends - 2 * DAY, run: () => remind(data, lot.ends) });
      if (lot.state === "running") events.push({ at: lot.ends, run: () => end(data, lot) });
    }
    for (const hold of data.holds)
      if (hold.state === "open")
        events.push({ at: hold.lapses, run: () => close(data, hold, hold.lapses) });
    const due = events.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    if (due.length === 0) return;
    due[0].run();
  }
}

function remind(data: Data, ends: number) {
  let credits = 0;
  for (const lot of data.lots)
    if (lot.ends === ends) {
      credits += lot.left;
      lot.reminds = false;
    }
  if (credits > 0) data.notices.push(`${credits} end soon`);
}

function end(data: Data, lot: Lot) {
  lot.state = "ended";
  const credits = lot.left;
  lot.left = 0;
  if (credits > 0) enter(data, "expired", -credits, lot.ends);
}

export function close(data: Data, hold: Hold, at: number) {
  hold.state = "closed";
  putBack(data, hold.pieces, at);
}

export function putBack(data: Data, pieces: Piece[], at: number) {
  for (const { lot: id, credits } of pieces) {
    const lot = data.lots.find((each) => each.id === id)!;
    if (lot.state === "running") lot.left += credits;
    else enter(data, lot.state === "ended" ? "expired" : "withdrawn", -credits, at);
  }
}

export function enter(data: Data, kind: string, credits: number, at: number) {
  const before = data.entries.at(-1)?.balance ?? 0;
  data.entries.push({ kind, credits, at, balance: before + credits });
}

export function addLot(account: Account, credits: number, ends: number) {
  const { data } = account;
  const id = `${account._id}/${data.serial++}`;
  const lot = { id, ends, left: credits, state: "running", reminds: ends - 2 * DAY > Date.now() };
  data.lots.push(lot);
  return lot;
}

/** Lots with something left; the sort keeps the order in which those of one end came. */
export function inOrder(data: Data) {
  return data.lots.filter(({ left }) => left > 0).sort((a, b) => a.ends - b.ends);
}

export const total = (rows: { credits: number }[]) =>
  rows.reduce((sum, row) => sum + row.credits, 0);
export const available = (data: Data) => data.lots.reduce((sum, { left }) => sum + left, 0);
export const openOnes = (data: Data) => data.holds.filter(({ state }) => state === "open");

export function take(data: Data, credits: number): Piece[] {
  const before = available(data);
  const pieces: Piece[] = [];
  let wanted = credits;
  for (const lot of inOrder(data)) {
    const some = Math.min(lot.left, wanted);
    if (some > 0) pieces.push({ lot: lot.id, credits: some });
    lot.left -= some;
    wanted -= some;
  }
  if (before >= 10 && before - credits < 10) data.notices.push("low");
  return pieces;
}

/** Cuts pieces in two: what lies before a number of credits, and what lies behind. */
export function cut(pieces: Piece[], from: number, to: number) {
  const result: Piece[] = [];
  let start = 0;
  for (const { lot, credits } of pieces) {
    const overlap = Math.min(start + credits, to) - Math.max(start, from);
    if (overlap > 0) result.push({ lot, credits: overlap });
    start += credits;
  }
  return result;
}

export const whole = (credits: number) => credits > 0 && Math.floor(credits) === credits;
""",
    "convex/people.ts": """\
import { v } from "convex/values";
import { mutation } from "./_generated/server";
import { caller, deny, everybody, named } from "./core/account";

export const join = mutation({
  args: { name: v.string() },
  returns: v.null(),
  handler: async (ctx, { name }) => {
    const { holder } = await caller(ctx);
    const known = (await everybody(ctx)).some((account) => account.holder === holder);
    if (known) deny("joined already");
    if (await named(ctx, name)) deny("name taken");
    const data = { serial: 0, lots: [], holds: [], entries: [], notices: [], sent: [] };
    await ctx.db.insert("accounts", { holder, name, data });
    return null;
  },
});
""",
    "convex/lots.ts": """\
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import {
  addLot,
  available,
  deny,
  enter,
  everybody,
  inOrder,
  midnightOf,
  named,
  openOnes,
  own,
  save,
  staffOnly,
  total,
  whole,
} from "./core/account";

export const grant = mutation({
  args: { to: v.string(), credits: v.number(), days: v.number() },
  handler: async (ctx, { to, credits, days }) => {
    await staffOnly(ctx);
    const account = (await named(ctx, to)) ?? deny("no such member");
    if (!whole(days) || days > 20) deny("bad days");
    if (!whole(credits)) deny("bad credits");
    const lot = addLot(account, credits, midnightOf(Date.now()) + days * 86_400_000);
    enter(account.data, "granted", credits, Date.now());
    await save(ctx, account);
    return lot.id;
  },
});

export const withdraw = mutation({
  args: { lot: v.string() },
  handler: async (ctx, args) => {
    await staffOnly(ctx);
    for (const account of await everybody(ctx)) {
      const lot = account.data.lots.find(({ id }) => id === args.lot);
      if (!lot) continue;
      const credits = lot.left;
      if (credits < 1) deny("nothing left");
      lot.left = 0;
      lot.state = "withdrawn";
      enter(account.data, "withdrawn", -credits, Date.now());
      await save(ctx, account);
      return credits;
    }
    return deny("not found");
  },
});

export const mine = query({
  args: {},
  handler: async (ctx) => {
    const { data } = await own(ctx);
    return inOrder(data).map(({ id, left, ends }) => ({ lot: id, left, ends }));
  },
});

export const balance = query({
  args: {},
  handler: async (ctx) => {
    const { data } = await own(ctx);
    const held = openOnes(data).reduce((sum, { pieces }) => sum + total(pieces), 0);
    return { available: available(data), held };
  },
});
""",
    "convex/holds.ts": """\
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import type { QueryCtx } from "./_generated/server";
import {
  addLot,
  available,
  close,
  cut,
  deny,
  enter,
  everybody,
  midnightOf,
  openOnes,
  own,
  putBack,
  save,
  staffOnly,
  take,
  total,
  whole,
} from "./core/account";

async function ownOpen(ctx: QueryCtx, id: string) {
  const account = await own(ctx);
  const hold = account.data.holds.find((each) => each.id === id) ?? deny("not found");
  if (hold.state !== "open") deny("not open");
  return { account, hold };
}

export const place = mutation({
  args: { credits: v.number(), purpose: v.string() },
  handler: async (ctx, { credits, purpose }) => {
    const account = await own(ctx);
    const { data } = account;
    if (!whole(credits)) deny("bad credits");
    if (openOnes(data).length > 2) deny("three holds");
    const missing = Math.max(credits - available(data), 0);
    let id: string | null = null;
    if (missing > 0) data.notices.push(`missing ${missing}`);
    else {
      id = `${account._id}/h${data.serial++}`;
      const lapses = Date.now() + 1_800_000;
      const pieces = take(data, credits);
      data.holds.push({ id, purpose, pieces, state: "open", lapses, captured: 0, back: 0 });
    }
    await save(ctx, account);
    return { hold: id, missing };
  },
});

export const capture = mutation({
  args: { hold: v.string(), credits: v.number() },
  handler: async (ctx, { hold: id, credits }) => {
    const { account, hold } = await ownOpen(ctx, id);
    const held = total(hold.pieces);
    if (credits > held) deny("too much");
    if (!whole(credits)) deny("bad credits");
    const rest = cut(hold.pieces, credits, held);
    hold.pieces = cut(hold.pieces, 0, credits);
    hold.state = "captured";
    hold.captured = Date.now();
    enter(account.data, "spent", -credits, hold.captured);
    putBack(account.data, rest, hold.captured);
    await save(ctx, account);
    return null;
  },
});

export const release = mutation({
  args: { hold: v.string() },
  handler: async (ctx, { hold: id }) => {
    const { account, hold } = await ownOpen(ctx, id);
    close(account.data, hold, Date.now());
    await save(ctx, account);
    return null;
  },
});

export const refund = mutation({
  args: { hold: v.string(), credits: v.number() },
  handler: async (ctx, { hold: id, credits }) => {
    await staffOnly(ctx);
    const accounts = await everybody(ctx);
    const account = accounts.find(({ data }) => data.holds.some((each) => each.id === id));
    if (!account) return deny("not found");
    const { data } = account;
    const hold = data.holds.find((each) => each.id === id)!;
    if (hold.state !== "captured") deny("not found");
    if (!whole(credits)) deny("bad credits");
    if (Date.now() - hold.captured >= 14 * 86_400_000) deny("too late");
    const upTo = total(hold.pieces) - hold.back;
    if (credits > upTo) deny("too much");
    hold.back += credits;
    let anew = 0;
    for (const piece of cut(hold.pieces, upTo - credits, upTo)) {
      const lot = data.lots.find((each) => each.id === piece.lot)!;
      if (lot.state === "running") lot.left += piece.credits;
      else anew += piece.credits;
    }
    if (anew > 0) addLot(account, anew, midnightOf(Date.now()) + 7 * 86_400_000);
    enter(data, "refunded", credits, Date.now());
    await save(ctx, account);
    return null;
  },
});

export const mine = query({
  args: {},
  handler: async (ctx) => {
    const { data } = await own(ctx);
    return openOnes(data)
      .reverse()
      .map(({ id, purpose, pieces, lapses }) => ({
        hold: id,
        purpose,
        credits: total(pieces),
        lapses,
      }));
  },
});
""",
    "convex/transfers.ts": """\
import { v } from "convex/values";
import { mutation } from "./_generated/server";
import {
  addLot,
  available,
  deny,
  enter,
  midnightOf,
  named,
  own,
  save,
  take,
  total,
  whole,
} from "./core/account";

export const send = mutation({
  args: { to: v.string(), credits: v.number(), key: v.string() },
  handler: async (ctx, { to, credits, key }) => {
    const sender = await own(ctx);
    const { data } = sender;
    const again = data.sent.find((each) => each.key === key);
    if (again) return again.credits;
    const receiver = (await named(ctx, to)) ?? deny("no such member");
    if (receiver._id === sender._id) deny("to yourself");
    if (!whole(credits)) deny("bad credits");
    if (credits > available(data)) deny("not enough");
    const now = Date.now();
    const today = data.sent.filter(({ at }) => midnightOf(at) === midnightOf(now));
    if (total(today) + credits > 100) deny("too much today");
    data.sent.push({ key, at: now, credits });
    const sums: Record<string, number> = {};
    for (const piece of take(data, credits)) {
      const { ends } = data.lots.find(({ id }) => id === piece.lot)!;
      sums[ends] = (sums[ends] ?? 0) + piece.credits;
    }
    for (const ends of Object.keys(sums)) addLot(receiver, sums[ends], Number(ends));
    enter(data, "sent", -credits, now);
    enter(receiver.data, "received", credits, now);
    await save(ctx, sender);
    await save(ctx, receiver);
    return credits;
  },
});
""",
    "convex/statement.ts": """\
import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import { query } from "./_generated/server";
import { own } from "./core/account";

export const page = query({
  args: { paginationOpts: paginationOptsValidator },
  handler: async (ctx, { paginationOpts: { cursor, numItems } }) => {
    const { entries } = (await own(ctx)).data;
    const end = cursor === null ? entries.length : Number(cursor);
    const start = Math.max(end - numItems, 0);
    const page = entries.slice(start, end).reverse();
    return { page, isDone: start === 0, continueCursor: String(start) };
  },
});

export const month = query({
  args: { month: v.string() },
  handler: async (ctx, args) => {
    const { entries } = (await own(ctx)).data;
    const of = (kind: string) => {
      let sum = 0;
      for (const entry of entries) {
        const month = new Date(entry.at).toISOString().slice(0, 7);
        if (entry.kind === kind && month === args.month) sum += Math.abs(entry.credits);
      }
      return sum;
    };
    return {
      granted: of("granted"),
      spent: of("spent"),
      refunded: of("refunded"),
      sent: of("sent"),
      received: of("received"),
      expired: of("expired"),
      withdrawn: of("withdrawn"),
    };
  },
});
""",
    "convex/notices.ts": """\
import { query } from "./_generated/server";
import { own } from "./core/account";

export const mine = query({
  args: {},
  handler: async (ctx) => [...(await own(ctx)).data.notices].reverse(),
});
""",
    "convex/reports.ts": """\
import { query } from "./_generated/server";
import { everybody, openOnes, staffOnly } from "./core/account";

export const owed = query({
  args: {},
  handler: async (ctx) => {
    await staffOnly(ctx);
    const rows: { ends: number; credits: number }[] = [];
    for (const { data } of await everybody(ctx)) {
      for (const lot of data.lots) rows.push({ ends: lot.ends, credits: lot.left });
      for (const { pieces } of openOnes(data))
        for (const { lot: id, credits } of pieces) {
          const { ends } = data.lots.find((lot) => lot.id === id)!;
          rows.push({ ends: ends > Date.now() ? ends : 0, credits });
        }
    }
    const sums = new Map<number, number>();
    for (const { ends, credits } of rows) sums.set(ends, (sums.get(ends) ?? 0) + credits);
    const owed = [...sums].map(([ends, credits]) => ({ ends, credits }));
    return owed.filter(({ credits }) => credits > 0).sort((a, b) => a.ends - b.ends);
  },
});
""",
    "convex/jobs.ts": "export {};\n",
    "convex/model/session.ts": "export {};\n",
    "convex/model/time.ts": "export {};\n",
    "convex/model/book.ts": "export {};\n",
    "convex/model/purse.ts": "export {};\n",
}
"""The files of the version, which stand in the place of the given ones."""

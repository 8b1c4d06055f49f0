# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The backend of parking permits in another handwriting: other tables, indexes and modules."""

from typing import Final

REWRITTEN: Final = {
    "convex/core/passes.ts": """\
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { internal } from "../_generated/api";

export const DAY = 86_400_000;
export const midnightOf = (time: number) => Math.floor(time / DAY) * DAY;

export function isValid(pass: Doc<"passes">, now: number) {
  return pass.cancelledAt === undefined && pass.until > now;
}

export async function passesIn(ctx: QueryCtx, zone: Id<"zones">) {
  return await ctx.db
    .query("passes")
    .withIndex("of_zone", (q) => q.eq("zone", zone))
    .collect();
}

export async function passesOf(ctx: QueryCtx, holder: string) {
  return await ctx.db
    .query("passes")
    .withIndex("of_holder", (q) => q.eq("holder", holder))
    .collect();
}

export function priceOf(fee: number, from: number, days: number) {
  let price = 0;
  for (let n = 0; n < days; n += 1) {
    const weekday = new Date(from + n * DAY).getUTCDay();
    price += weekday % 6 === 0 ? fee / 2 : fee;
  }
  return Math.floor(days < 7 ? price : (price * 9) / 10);
}

/** Books days from a midnight on, and has the notices sent for the new end alone. */
export async function book(ctx: MutationCtx, pass: Doc<"passes">, from: number, days: number) {
  const now = Date.now();
  const zone = await ctx.db.get(pass.zone);
  const fee = zone ? zone.fee : pass.fee;
  const until = from + days * DAY;
  for (const job of pass.jobs) await ctx.scheduler.cancel(job);
  const jobs = [
    await ctx.scheduler.runAt(until, internal.timing.end, { pass: pass._id, until }),
  ];
  const noon = until - DAY / 2;
  if (noon > now) {
    jobs.push(await ctx.scheduler.runAt(noon, internal.timing.warn, { pass: pass._id }));
  }
  await ctx.db.patch(pass._id, { until, jobs });
  const cents = priceOf(fee, from, days);
  await ctx.db.insert("bookings", { pass: pass._id, days, cents, at: now });
}

export async function bookingsOf(ctx: QueryCtx, pass: Id<"passes">) {
  const rows = await ctx.db
    .query("bookings")
    .withIndex("of_pass", (q) => q.eq("pass", pass))
    .collect();
  return {
    cents: rows.reduce((sum, row) => sum + row.cents, 0),
    days: rows.reduce((sum, row) => sum + row.days, 0),
  };
}
""",
    "convex/core/queue.ts": """\
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { internal } from "../_generated/api";
import { DAY, isValid, passesIn } from "./passes";

export async function queueOf(ctx: QueryCtx, zone: Id<"zones">) {
  return await ctx.db
    .query("queue")
    .withIndex("of_zone", (q) => q.eq("zone", zone))
    .collect();
}

export async function freeIn(ctx: QueryCtx, zone: Doc<"zones">, now: number) {
  const valid = (await passesIn(ctx, zone._id)).filter((pass) => isValid(pass, now));
  const offers = (await queueOf(ctx, zone._id)).filter(
    (row) => row.offeredUntil !== null && row.offeredUntil > now,
  );
  return zone.places - valid.length - offers.length;
}

/** Offers what is free to those who wait. */
export async function vacate(ctx: MutationCtx, id: Id<"zones">, at: number): Promise<void> {
  const zone = await ctx.db.get(id);
  if (!zone) return;
  const made: Doc<"queue">[] = [];
  while ((await freeIn(ctx, zone, at)) > 0) {
    const next = (await queueOf(ctx, id)).find((row) => row.offeredUntil === null);
    if (!next) break;
    await offer(ctx, next, at + DAY);
    made.push(next);
  }
  if (at + DAY <= Date.now()) for (const row of made) await lapse(ctx, row._id, at + DAY);
}

async function offer(ctx: MutationCtx, row: Doc<"queue">, until: number) {
  await ctx.db.patch(row._id, { offeredUntil: until });
  await ctx.db.insert("mail", { person: row.person, zone: row.zone, kind: "offer" });
  await ctx.scheduler.runAt(until, internal.timing.lapse, { row: row._id, until });
}

export async function lapse(ctx: MutationCtx, id: Id<"queue">, until: number) {
  const row = await ctx.db.get(id);
  if (!row) return;
  await ctx.db.delete(id);
  await vacate(ctx, row.zone, until);
}

/** Makes up for jobs that are late. */
export async function catchUp(ctx: MutationCtx, zone: Id<"zones">) {
  for (const row of await queueOf(ctx, zone)) {
    if (row.offeredUntil !== null && row.offeredUntil <= Date.now()) {
      await lapse(ctx, row._id, row.offeredUntil);
    }
  }
  await vacate(ctx, zone, Date.now());
}
""",
    "convex/core/who.ts": """\
import { ConvexError } from "convex/values";
import type { Auth } from "convex/server";

export const deny = (data: string): never => {
  throw new ConvexError(data);
};

export async function caller(ctx: { auth: Auth }) {
  const who = await ctx.auth.getUserIdentity();
  if (!who) return deny("not signed in");
  return { person: who.tokenIdentifier, role: String(who.role ?? "") };
}

export async function employee(ctx: { auth: Auth }, roles: string[]) {
  const { role } = await caller(ctx);
  if (!roles.includes(role)) deny("not allowed");
}
""",
    "convex/line.ts": """\
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { catchUp, freeIn, queueOf, vacate } from "./core/queue";
import { caller, deny } from "./core/who";

const place = { zone: v.id("zones") };

export const join = mutation({
  args: place,
  handler: async (ctx, args) => {
    const { person } = await caller(ctx);
    const zone = await ctx.db.get(args.zone);
    if (!zone) return deny("not found");
    await catchUp(ctx, zone._id);
    if ((await freeIn(ctx, zone, Date.now())) > 0) return deny("places free");
    const rows = await queueOf(ctx, zone._id);
    if (rows.some((row) => row.person === person)) return deny("in line already");
    await ctx.db.insert("queue", { zone: zone._id, person, offeredUntil: null });
    return null;
  },
});

export const leave = mutation({
  args: place,
  handler: async (ctx, args) => {
    const { person } = await caller(ctx);
    await catchUp(ctx, args.zone);
    const rows = await queueOf(ctx, args.zone);
    const row = rows.find((each) => each.person === person);
    if (!row) return deny("not in line");
    await ctx.db.delete(row._id);
    await vacate(ctx, args.zone, Date.now());
    return null;
  },
});

export const mine = query({
  args: {},
  handler: async (ctx) => {
    const { person } = await caller(ctx);
    const shown = [];
    for await (const row of ctx.db.query("queue").order("desc")) {
      const lapsed = row.offeredUntil !== null && row.offeredUntil <= Date.now();
      if (row.person === person && !lapsed) {
        shown.push({ zone: row.zone, offerEnds: row.offeredUntil });
      }
    }
    return shown;
  },
});
""",
    "convex/notices.ts": """\
import { query } from "./_generated/server";
import { caller } from "./core/who";

export const mine = query({
  args: {},
  handler: async (ctx) => {
    const { person } = await caller(ctx);
    const rows = await ctx.db
      .query("mail")
      .withIndex("of_person", (q) => q.eq("person", person))
      .collect();
    return rows.reverse().map(({ kind, zone }) => ({ kind, zone }));
  },
});
""",
    "convex/permits.ts": """\
import { v } from "convex/values";
import { mutation, query, type QueryCtx } from "./_generated/server";
import type { Id } from "./_generated/dataModel";
import { book, bookingsOf, DAY, isValid, midnightOf, passesIn, passesOf } from "./core/passes";
import { catchUp, freeIn, queueOf, vacate } from "./core/queue";
import { caller, deny, employee } from "./core/who";

const tidy = (plate: string) =>
  plate
    .toUpperCase()
    .split(/[\\s-]+/)
    .join("");

async function own(ctx: QueryCtx, id: Id<"passes">) {
  const { person } = await caller(ctx);
  const pass = await ctx.db.get(id);
  if (!pass || !isValid(pass, Date.now())) return deny("not found");
  if (pass.holder !== person) return deny("not found");
  return pass;
}

async function demandFreePlate(ctx: QueryCtx, zone: Id<"zones">, plate: string, but?: string) {
  for (const pass of await passesIn(ctx, zone)) {
    if (pass._id === but || pass.plate !== plate) continue;
    if (isValid(pass, Date.now())) deny("plate has permit");
  }
}

function demandDays(days: number, from: number) {
  if (days < 1 || days % 1 !== 0) deny("bad days");
  const ahead = (from - midnightOf(Date.now())) / DAY + days;
  if (ahead > 21) deny("too long");
}

export const buy = mutation({
  args: { zone: v.id("zones"), plate: v.string(), days: v.number() },
  handler: async (ctx, args) => {
    const { person } = await caller(ctx);
    const now = Date.now();
    const zone = await ctx.db.get(args.zone);
    if (!zone) return deny("not found");
    await catchUp(ctx, zone._id);
    const waiting = (await queueOf(ctx, zone._id)).find((row) => row.person === person);
    if (!waiting?.offeredUntil && (await freeIn(ctx, zone, now)) < 1) return deny("zone full");
    const held = (await passesOf(ctx, person)).filter((pass) => isValid(pass, now));
    if (held.length > 1) return deny("two permits");
    const plate = tidy(args.plate);
    await demandFreePlate(ctx, zone._id, plate);
    const today = midnightOf(now);
    demandDays(args.days, today);

    if (waiting) await ctx.db.delete(waiting._id);
    const base = { zone: zone._id, holder: person, plate, fee: zone.fee, jobs: [] };
    const id = await ctx.db.insert("passes", { ...base, since: now, until: today });
    const pass = await ctx.db.get(id);
    if (pass) await book(ctx, pass, today, args.days);
    return id;
  },
});

export const extend = mutation({
  args: { permit: v.id("passes"), days: v.number() },
  handler: async (ctx, args) => {
    const pass = await own(ctx, args.permit);
    demandDays(args.days, pass.until);
    await book(ctx, pass, pass.until, args.days);
    return null;
  },
});

export const cancel = mutation({
  args: { permit: v.id("passes") },
  handler: async (ctx, args) => {
    const pass = await own(ctx, args.permit);
    const at = Date.now();
    const { cents, days } = await bookingsOf(ctx, pass._id);
    const tomorrow = midnightOf(at) + DAY;
    const unused = (pass.until - tomorrow) / DAY;
    const back = at - pass.since < 3_600_000 ? cents : Math.floor((cents * unused) / days);
    await ctx.db.insert("repayments", { pass: pass._id, cents: back, at });
    await ctx.db.patch(pass._id, { cancelledAt: at });
    for (const job of pass.jobs) await ctx.scheduler.cancel(job);
    await vacate(ctx, pass.zone, at);
    return back;
  },
});

export const move = mutation({
  args: { permit: v.id("passes"), plate: v.string() },
  handler: async (ctx, args) => {
    const pass = await own(ctx, args.permit);
    const plate = tidy(args.plate);
    await demandFreePlate(ctx, pass.zone, plate, pass._id);
    await ctx.db.patch(pass._id, { plate });
    return null;
  },
});

export const mine = query({
  args: {},
  handler: async (ctx) => {
    const { person } = await caller(ctx);
    const shown = [];
    for (const pass of (await passesOf(ctx, person)).reverse()) {
      if (!isValid(pass, Date.now())) continue;
      const { cents } = await bookingsOf(ctx, pass._id);
      const { _id, zone, plate, until } = pass;
      shown.push({ id: _id, zone, plate, ends: until, paid: cents });
    }
    return shown;
  },
});

export const check = query({
  args: { zone: v.id("zones"), plate: v.string() },
  handler: async (ctx, args) => {
    await employee(ctx, ["warden", "staff"]);
    const now = Date.now();
    const wanted = tidy(args.plate);
    const inZone = await passesIn(ctx, args.zone);
    return inZone.some((pass) => pass.plate === wanted && isValid(pass, now));
  },
});
""",
    "convex/reports.ts": """\
import { v } from "convex/values";
import { query } from "./_generated/server";
import { DAY } from "./core/passes";
import { employee } from "./core/who";

export const takings = query({
  args: { day: v.string() },
  handler: async (ctx, args) => {
    await employee(ctx, ["staff"]);
    const start = new Date(args.day).getTime();
    const within = ({ at }: { at: number }) => at >= start && at < start + DAY;
    const paid = (await ctx.db.query("bookings").collect()).filter(within);
    const back = (await ctx.db.query("repayments").collect()).filter(within);
    const total = (rows: { cents: number }[]) => rows.reduce((sum, row) => sum + row.cents, 0);
    return total(paid) - total(back);
  },
});
""",
    "convex/schema.ts": """\
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const zones = defineTable({ name: v.string(), places: v.number(), fee: v.number() });

const passes = defineTable({
  zone: v.id("zones"),
  holder: v.string(),
  plate: v.string(),
  since: v.number(),
  until: v.number(),
  fee: v.number(),
  cancelledAt: v.optional(v.number()),
  jobs: v.array(v.id("_scheduled_functions")),
})
  .index("of_holder", ["holder"])
  .index("of_zone", ["zone"]);

const bookings = defineTable({
  pass: v.id("passes"),
  days: v.number(),
  cents: v.number(),
  at: v.number(),
}).index("of_pass", ["pass"]);

const repayments = defineTable({ pass: v.id("passes"), cents: v.number(), at: v.number() });

const queue = defineTable({
  zone: v.id("zones"),
  person: v.string(),
  offeredUntil: v.union(v.number(), v.null()),
}).index("of_zone", ["zone"]);

const mail = defineTable({ person: v.string(), zone: v.id("zones"), kind: v.string() }).index(
  "of_person",
  ["person"],
);

export default defineSchema({ zones, passes, bookings, repayments, queue, mail });
""",
    "convex/timing.ts": """\
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import * as queue from "./core/queue";

export const warn = internalMutation({
  args: { pass: v.id("passes") },
  handler: async (ctx, args) => {
    const pass = await ctx.db.get(args.pass);
    if (!pass || pass.cancelledAt !== undefined) return;
    await ctx.db.insert("mail", { person: pass.holder, zone: pass.zone, kind: "ends soon" });
  },
});

export const end = internalMutation({
  args: { pass: v.id("passes"), until: v.number() },
  handler: async (ctx, args) => {
    const pass = await ctx.db.get(args.pass);
    if (!pass || pass.cancelledAt !== undefined) return;
    await ctx.db.insert("mail", { person: pass.holder, zone: pass.zone, kind: "ended" });
    await queue.vacate(ctx, pass.zone, args.until);
  },
});

export const lapse = internalMutation({
  args: { row: v.id("queue"), until: v.number() },
  handler: async (ctx, args) => await queue.lapse(ctx, args.row, args.until),
});
""",
    "convex/zones.ts": """\
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { freeIn, vacate } from "./core/queue";
import { caller, deny, employee } from "./core/who";

const size = { places: v.number(), fee: v.number() };

export const open = mutation({
  args: { name: v.string(), ...size },
  handler: async (ctx, args) => {
    await employee(ctx, ["staff"]);
    return await ctx.db.insert("zones", args);
  },
});

export const change = mutation({
  args: { zone: v.id("zones"), ...size },
  handler: async (ctx, { zone, ...changes }) => {
    await employee(ctx, ["staff"]);
    if (!(await ctx.db.get(zone))) deny("not found");
    await ctx.db.patch(zone, changes);
    await vacate(ctx, zone, Date.now());
    return null;
  },
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    await caller(ctx);
    const shown = [];
    for await (const zone of ctx.db.query("zones").order("desc")) {
      const free = Math.max(await freeIn(ctx, zone, Date.now()), 0);
      shown.push({ free, fee: zone.fee, name: zone.name, id: zone._id });
    }
    return shown;
  },
});
""",
    "convex/jobs.ts": "export {};\n",
}
"""The files of the version, which stand in the place of the given ones."""

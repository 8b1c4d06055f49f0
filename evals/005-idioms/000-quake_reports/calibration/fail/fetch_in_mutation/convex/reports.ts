// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import {
  action,
  internalMutation,
  internalQuery,
  mutation,
  query,
  type ActionCtx,
} from "./_generated/server";
import { status } from "./schema";

type Status = Infer<typeof status>;

const SERVICE = "https://verify.quakes.test/check";

export const submit = mutation({
  args: { station: v.string(), magnitude: v.number() },
  handler: async (ctx, args) => {
    const id = await ctx.db.insert("reports", { ...args, status: "pending" });
    const report = await ctx.db.get("reports", id);
    if (report !== null) {
      await ctx.db.patch("reports", id, { status: await askService(report) });
    }
    return id;
  },
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const reports = await ctx.db.query("reports").order("desc").take(50);
    return reports.map(({ _id, station, magnitude, status }) => ({
      _id,
      station,
      magnitude,
      status,
    }));
  },
});

export const recheck = action({
  args: { id: v.id("reports") },
  handler: async (ctx, args): Promise<Status | null> => {
    return await verifyReport(ctx, args.id);
  },
});

export const get = internalQuery({
  args: { id: v.id("reports") },
  handler: async (ctx, args) => {
    return await ctx.db.get("reports", args.id);
  },
});

export const conclude = internalMutation({
  args: { id: v.id("reports"), status },
  handler: async (ctx, args) => {
    if ((await ctx.db.get("reports", args.id)) === null) {
      return null;
    }
    await ctx.db.patch("reports", args.id, { status: args.status });
    return args.status;
  },
});

async function verifyReport(ctx: ActionCtx, id: Id<"reports">): Promise<Status | null> {
  const report = await ctx.runQuery(internal.reports.get, { id });
  if (report === null) {
    return null;
  }
  const status = await askService(report);
  return await ctx.runMutation(internal.reports.conclude, { id, status });
}

async function askService(report: Doc<"reports">): Promise<Status> {
  try {
    const reply = await fetch(SERVICE, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ station: report.station, magnitude: report.magnitude }),
    });
    if (reply.status !== 200) {
      return "unverified";
    }
    const said = (await reply.json()) as { plausible?: unknown } | null;
    if (said?.plausible === true) {
      return "confirmed";
    }
    return said?.plausible === false ? "rejected" : "unverified";
  } catch {
    return "unverified";
  }
}

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const share = v.float64();
const timestamp = v.float64();

const climateFields = {
  temperatureC: v.float64(),
  sealed: v.boolean(),
  jar: v.optional(v.string()),
};

const donatedFields = { donor: v.string(), letter: v.optional(v.bytes()) };

const shelves = defineTable({ code: v.string() }).index("by_code", ["code"]);

const accessions = defineTable({
  label: v.string(),
  germination: share,
  viable: v.boolean(),
  seedCount: v.int64(),
  packetDigest: v.bytes(),
  shelf: v.id("shelves"),
  parent: v.union(v.null(), v.id("accessions")),
  collectedAt: v.optional(timestamp),
  status: v.union(v.literal("withdrawn"), v.literal("drying"), v.literal("stored")),
  climate: v.object({ ...climateFields }),
  synonyms: v.array(v.string()),
  germinationByYear: v.record(v.string(), share),
  origin: v.union(
    v.object({ ...donatedFields, kind: v.literal("donated") }),
    v.object({ place: v.string(), kind: v.literal("collected") }),
  ),
})
  .index("by_shelf_and_status", ["shelf", "status"])
  .index("by_parent", ["parent"]);

export default defineSchema({ shelves, accessions });

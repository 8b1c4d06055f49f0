// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { chronometerFields } from "./fields";

const makers = defineTable(v.object({ name: v.string() }));
const chronometers = defineTable(v.object(chronometerFields)).index("seal", ["seal"]);

export default defineSchema({ makers, chronometers });

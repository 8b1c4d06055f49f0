import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  events: defineTable({ room: v.string(), at: v.number() }).index("by_room", ["room", "at"]),
  rooms: defineTable({ name: v.string() }),
});

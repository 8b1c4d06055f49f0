// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  rooms: defineTable({ name: v.string() }),
  shelves: defineTable({
    room: v.id("rooms"),
    label: v.string(),
  }).index("by_room", ["room"]),
  books: defineTable({
    shelf: v.id("shelves"),
    title: v.string(),
    lent: v.boolean(),
  }).index("by_shelf", ["shelf"]),
  notes: defineTable({
    text: v.string(),
    book: v.optional(v.id("books")),
  }).index("by_book", ["book"]),
});

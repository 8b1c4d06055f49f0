// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

/*
 * Customers write down what they wish for and vote for it.
 *
 * There are never more than 500 ideas that count, on all boards together, and 100 on one board. One idea
 * may have 20,000 votes.
 */
export default defineSchema({
  people: defineTable({
    token: v.string(),
    name: v.string(),
    /** No longer kept: see model/figures.ts. */
    karma: v.optional(v.number()),
  }).index("by_token", ["token"]),

  boards: defineTable({
    name: v.string(),
    /** How many votes a person has on this board, in each round. */
    budget: v.number(),
    /** Votes of former rounds count no more. */
    round: v.number(),
    /** No longer kept: see model/figures.ts. */
    votes: v.optional(v.number()),
  }),

  ideas: defineTable({
    board: v.id("boards"),
    author: v.id("people"),
    title: v.string(),
    /** Only for an open idea can be voted. A removed one counts nowhere, and nor do its votes. */
    state: v.union(v.literal("open"), v.literal("done"), v.literal("removed")),
    /** Only a part of its votes: see model/figures.ts. */
    votes: v.number(),
  })
    .index("by_board_and_state", ["board", "state"])
    .index("by_state", ["state"])
    .index("by_author", ["author"]),

  /** Votes that were folded, of ideas that count. */
  tallies: defineTable({
    idea: v.id("ideas"),
    board: v.id("boards"),
    votes: v.number(),
  })
    .index("by_idea", ["idea"])
    .index("by_board", ["board"]),

  /** Votes that came or went lately, and are not folded yet. */
  ballots: defineTable({
    idea: v.id("ideas"),
    board: v.id("boards"),
    votes: v.number(),
  })
    .index("by_idea", ["idea"])
    .index("by_board", ["board"]),

  /** One for each person and idea, of the present round; older ones are deleted little by little. */
  votes: defineTable({
    board: v.id("boards"),
    round: v.number(),
    idea: v.id("ideas"),
    person: v.id("people"),
  })
    .index("by_board", ["board", "round"])
    .index("by_idea", ["idea", "person"])
    .index("by_person_and_board", ["person", "board", "round"]),

  /** What happened lately on a board. */
  activity: defineTable({
    board: v.id("boards"),
    idea: v.id("ideas"),
    kind: v.union(v.literal("idea"), v.literal("vote")),
  }).index("by_board", ["board"]),

  /** Mails to be sent. An author is told once of each milestone of an idea. */
  mails: defineTable({
    person: v.id("people"),
    idea: v.id("ideas"),
    milestone: v.number(),
  }).index("by_idea", ["idea", "milestone"]),

  /** One document. */
  site: defineTable({
    /** Ideas that count. */
    ideas: v.number(),
    /** No longer kept: see model/figures.ts. */
    votes: v.optional(v.number()),
  }),
});

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

/*
 * Customers write down what they wish for and vote for it.
 *
 * There are never more than 500 ideas that count, on all boards together, and 100 on one board. One idea
 * may have 20,000 votes.
 *
 * Votes are cast by many at the same time. So a vote changes no document that others read or change: it
 * adds a document to `changes`, which are summed up in `tallies` a little later. A figure is what stands
 * in its own document, and what `tallies` and `changes` add to it.
 */
export default defineSchema({
  people: defineTable({
    token: v.string(),
    name: v.string(),
    /** The votes for this person's ideas, without tallies and changes. */
    karma: v.number(),
  }).index("by_token", ["token"]),

  boards: defineTable({
    name: v.string(),
    /** How many votes a person has on this board, in each round. */
    budget: v.number(),
    /** Votes of former rounds count no more. */
    round: v.number(),
    /** The votes for all ideas of the board, without tallies and changes. */
    votes: v.number(),
  }),

  ideas: defineTable({
    board: v.id("boards"),
    author: v.id("people"),
    title: v.string(),
    /** Only for an open idea can be voted. A removed one counts nowhere, and nor do its votes. */
    state: v.union(v.literal("open"), v.literal("done"), v.literal("removed")),
    /** Without tallies and changes. */
    votes: v.number(),
  }).index("by_board_and_state", ["board", "state"]),

  /** One for each person and idea, of the present round; older ones are deleted little by little. */
  votes: defineTable({
    board: v.id("boards"),
    round: v.number(),
    idea: v.id("ideas"),
    person: v.id("people"),
  })
    .index("by_board", ["board", "round"])
    .index("by_idea", ["idea", "person"])
    .index("by_person", ["person", "board", "round"]),

  /** A vote that was cast (1) or taken back (-1), and is in no tally yet. */
  changes: defineTable({
    idea: v.id("ideas"),
    board: v.id("boards"),
    author: v.id("people"),
    votes: v.number(),
  })
    .index("by_idea", ["idea"])
    .index("by_board", ["board"])
    .index("by_author", ["author"]),

  /** At most one for each idea that counts. */
  tallies: defineTable({
    idea: v.id("ideas"),
    board: v.id("boards"),
    author: v.id("people"),
    votes: v.number(),
  })
    .index("by_idea", ["idea"])
    .index("by_board", ["board"])
    .index("by_author", ["author"]),

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
    /** Ideas and votes that count; the votes without tallies and changes. */
    ideas: v.number(),
    votes: v.number(),
  }),
});

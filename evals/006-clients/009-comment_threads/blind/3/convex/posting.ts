// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { action } from "./_generated/server";
import { refuse } from "./lib/rules";

const CHECK_URL = "https://tone.example.com/check";
const MAIL_URL = "https://mail.example.com/comments";

/**
 * Posts a comment at the end of a thread, and returns its id. Its tone is checked before, and the
 * thread's readers get a mail afterwards. Mails are not important: none is sent again. With a key
 * that the author's comment was posted with before, it returns that comment's id and does no more.
 */
export const post = action({
  args: {
    thread: v.id("threads"),
    author: v.string(),
    text: v.string(),
    key: v.optional(v.string()),
  },
  returns: v.id("comments"),
  handler: async (ctx, { thread, author, text, key }): Promise<Id<"comments">> => {
    if (key !== undefined) {
      const before: Id<"comments"> | null = await ctx.runQuery(internal.comments.posted, {
        author,
        key,
      });
      if (before !== null) return before;
    }
    await checkTone(text);
    const stored: { comment: Id<"comments">; isNew: boolean } = await ctx.runMutation(
      internal.comments.store,
      { thread, author, text, ...(key === undefined ? {} : { key }) },
    );
    // Another try may have been faster.
    if (stored.isNew) await mail({ thread, author, text });
    return stored.comment;
  },
});

async function checkTone(text: string) {
  const answer = await tryFetch(CHECK_URL, { text });
  if (answer === null || !answer.ok) return refuse("unavailable");
  const { friendly } = (await answer.json()) as { friendly: boolean };
  if (!friendly) return refuse("unfriendly");
}

async function mail(comment: { thread: string; author: string; text: string }) {
  await tryFetch(MAIL_URL, comment);
}

/** Sends JSON; returns null if nothing came back. */
async function tryFetch(url: string, body: object): Promise<Response | null> {
  try {
    return await fetch(url, { method: "POST", body: JSON.stringify(body) });
  } catch {
    return null;
  }
}

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
 * thread's readers get a mail afterwards. Mails are not important: none is sent again.
 *
 * With a `key`, an author's comment is posted once, however often it is tried.
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
      const earlier: Id<"comments"> | null = await ctx.runQuery(internal.comments.posted, {
        author,
        key,
      });
      if (earlier !== null) return earlier;
    }
    await checkTone(text);
    if (key === undefined) {
      const comment: Id<"comments"> = await ctx.runMutation(internal.comments.store, {
        thread,
        author,
        text,
      });
      await mail({ thread, author, text });
      return comment;
    }
    const { comment, isNew }: { comment: Id<"comments">; isNew: boolean } = await ctx.runMutation(
      internal.comments.storeOnce,
      { thread, author, text, key },
    );
    // Another try may have been faster: then it sends the mail.
    if (isNew) await mail({ thread, author, text });
    return comment;
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

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useAction, useMutation } from "convex/react";
import { useRef, useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc, Id } from "../../convex/_generated/dataModel";
import { showEdit, showRemovedComment, showRemovedThread, showResolved } from "./optimistic";
import { explain } from "./refusals";

/** A reply from the click on until it stands among the comments. */
export interface PendingReply {
  key: string;
  thread: Id<"threads">;
  author: string;
  text: string;
  // What came back: the comment, or why there is none. Neither while it is being sent.
  comment: Id<"comments"> | null;
  refusal: string | null;
}

export interface ThreadState {
  draft: string;
  replies: PendingReply[];
  refusal: string | null;
  // The person who uses the page deleted it.
  isRemoved: boolean;
}

export interface CommentState {
  draft: string | null;
  refusal: string | null;
}

const NO_THREAD_STATE: ThreadState = { draft: "", replies: [], refusal: null, isRemoved: false };
const NO_COMMENT_STATE: CommentState = { draft: null, refusal: null };

/**
 * What the person who uses the page has written or tried, by thread and comment. It is kept above
 * the threads, as these come and go, and move between the sections.
 */
export function useMargin(me: string) {
  const post = useAction(api.posting.post);
  const edit = useMutation(api.comments.edit).withOptimisticUpdate(showEdit);
  const remove = useMutation(api.comments.remove).withOptimisticUpdate(showRemovedComment);
  const resolve = useMutation(api.threads.resolve).withOptimisticUpdate(showResolved);
  const removeAll = useMutation(api.threads.remove).withOptimisticUpdate(showRemovedThread);

  const [threads, setThreads] = useState<Record<string, ThreadState>>({});
  const [comments, setComments] = useState<Record<string, CommentState>>({});
  const tries = useRef<Record<string, number>>({});

  const changeThread = (id: Id<"threads">, change: (state: ThreadState) => Partial<ThreadState>) => {
    setThreads((all) => {
      const state = all[id] ?? NO_THREAD_STATE;
      return { ...all, [id]: { ...state, ...change(state) } };
    });
  };

  const changeComment = (
    id: Id<"comments">,
    change: (state: CommentState) => Partial<CommentState>,
  ) => {
    setComments((all) => {
      const state = all[id] ?? NO_COMMENT_STATE;
      return { ...all, [id]: { ...state, ...change(state) } };
    });
  };

  const changeReply = (
    { thread, key }: PendingReply,
    change: Partial<Pick<PendingReply, "comment" | "refusal">>,
  ) => {
    changeThread(thread, ({ replies }) => ({
      replies: replies.map((reply) => (reply.key === key ? { ...reply, ...change } : reply)),
    }));
  };

  /** Begins a try of something; returns whether it is still the latest one. */
  const beginTry = (what: string) => {
    const mine = (tries.current[what] ?? 0) + 1;
    tries.current[what] = mine;
    return () => tries.current[what] === mine;
  };

  const tryReply = async (reply: PendingReply) => {
    const { thread, author, text, key } = reply;
    try {
      changeReply(reply, { comment: await post({ thread, author, text, key }) });
    } catch (error) {
      changeReply(reply, { refusal: explain(error) });
    }
  };

  return {
    threadState: (id: Id<"threads">) => threads[id] ?? NO_THREAD_STATE,
    commentState: (id: Id<"comments">) => comments[id] ?? NO_COMMENT_STATE,

    draftReply: (thread: Id<"threads">, draft: string) => {
      changeThread(thread, () => ({ draft }));
    },

    sendReply: async (thread: Id<"threads">, text: string) => {
      const reply = { key: makeKey(), thread, author: me, text, comment: null, refusal: null };
      changeThread(thread, ({ replies }) => ({ draft: "", replies: [...replies, reply] }));
      await tryReply(reply);
    },

    retryReply: async (reply: PendingReply) => {
      changeReply(reply, { refusal: null });
      await tryReply(reply);
    },

    /** Forgets replies: they are discarded, or stand among the comments. */
    dropReplies: (thread: Id<"threads">, keys: string[]) => {
      changeThread(thread, ({ replies }) => ({
        replies: replies.filter((reply) => !keys.includes(reply.key)),
      }));
    },

    resolve: async (thread: Id<"threads">, isResolved: boolean) => {
      const isLatest = beginTry(thread);
      changeThread(thread, () => ({ refusal: null }));
      try {
        await resolve({ thread, isResolved });
      } catch (error) {
        if (isLatest()) changeThread(thread, () => ({ refusal: explain(error) }));
      }
    },

    removeThread: async (thread: Id<"threads">) => {
      const isLatest = beginTry(thread);
      changeThread(thread, () => ({ refusal: null, isRemoved: true }));
      try {
        await removeAll({ thread, me });
        changeThread(thread, () => ({ draft: "", replies: [] }));
      } catch (error) {
        changeThread(thread, () => ({ isRemoved: false }));
        if (isLatest()) changeThread(thread, () => ({ refusal: explain(error) }));
      }
    },

    draftComment: (comment: Id<"comments">, draft: string | null) => {
      changeComment(comment, () => ({ draft }));
    },

    editComment: async (comment: Id<"comments">, text: string) => {
      const isLatest = beginTry(comment);
      const isLatestEdit = beginTry(`edit ${comment}`);
      changeComment(comment, () => ({ draft: null, refusal: null }));
      try {
        await edit({ comment, me, text });
      } catch (error) {
        // What was begun in the field meanwhile is newer.
        if (isLatestEdit()) changeComment(comment, ({ draft }) => ({ draft: draft ?? text }));
        if (isLatest()) changeComment(comment, () => ({ refusal: explain(error) }));
      }
    },

    removeComment: async (comment: Id<"comments">) => {
      const isLatest = beginTry(comment);
      changeComment(comment, () => ({ refusal: null }));
      try {
        await remove({ comment, me });
      } catch (error) {
        if (isLatest()) changeComment(comment, () => ({ refusal: explain(error) }));
      }
    },
  };
}

export type Margin = ReturnType<typeof useMargin>;

/** Returns whether a comment is what became of a reply. */
export function isPosted(reply: PendingReply, comment: Doc<"comments">): boolean {
  return (
    comment._id === reply.comment ||
    (comment.key === reply.key && comment.author === reply.author)
  );
}

function makeKey(): string {
  const parts = [Date.now(), Math.random(), Math.random()];
  return parts.map((part) => part.toString(36).replace("0.", "")).join("-");
}

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useAction, useMutation } from "convex/react";
import { useRef, useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import {
  previewEdit,
  previewRemoveComment,
  previewRemoveThread,
  previewResolve,
} from "./previews";
import { explain } from "./refusals";

/** A reply that is not among the comments of its thread yet. */
export interface Reply {
  key: string;
  thread: Id<"threads">;
  text: string;
  state:
    | { kind: "sending" }
    | { kind: "refused"; reason: string }
    | { kind: "posted"; comment: Id<"comments"> };
}

type Target = Id<"threads"> | Id<"comments">;

export type Margin = ReturnType<typeof useMargin>;

/**
 * What a person writes and tries in the margin. It is kept here, because threads and comments come
 * and go on the page: others resolve them, and what was tried may be undone.
 */
export function useMargin(me: string) {
  const post = useAction(api.posting.post);
  const edit = useMutation(api.comments.edit).withOptimisticUpdate(previewEdit);
  const removeComment = useMutation(api.comments.remove).withOptimisticUpdate(previewRemoveComment);
  const resolve = useMutation(api.threads.resolve).withOptimisticUpdate(previewResolve);
  const removeThread = useMutation(api.threads.remove).withOptimisticUpdate(previewRemoveThread);

  const [drafts, setDrafts] = useState<ReadonlyMap<Target, string>>(new Map());
  const [replies, setReplies] = useState<readonly Reply[]>([]);
  const [refusals, setRefusals] = useState<ReadonlyMap<Target, string>>(new Map());
  const [removed, setRemoved] = useState<ReadonlySet<Id<"threads">>>(new Set());
  const tries = useRef(new Map<Target, number>());

  const setDraft = (target: Target, text: string | null) => {
    setDrafts((before) => withEntry(before, target, text));
  };

  /** Tries something of a thread or comment. What it says is about the latest try. */
  const attempt = async (target: Target, change: () => Promise<unknown>, undo?: () => void) => {
    const number = (tries.current.get(target) ?? 0) + 1;
    tries.current.set(target, number);
    setRefusals((before) => withEntry(before, target, null));
    try {
      await change();
    } catch (error) {
      undo?.();
      if (tries.current.get(target) === number) {
        setRefusals((before) => withEntry(before, target, explain(error)));
      }
    }
  };

  const setReply = (key: string, state: Reply["state"]) => {
    setReplies((before) => before.map((each) => (each.key === key ? { ...each, state } : each)));
  };

  const send = async ({ key, thread, text }: Pick<Reply, "key" | "thread" | "text">) => {
    try {
      const comment = await post({ thread, author: me, text, key });
      setReply(key, { kind: "posted", comment });
    } catch (error) {
      setReply(key, { kind: "refused", reason: explain(error) });
    }
  };

  return {
    draftOf: (target: Target) => drafts.get(target) ?? null,
    setDraft,
    refusalOf: (target: Target) => refusals.get(target) ?? null,
    repliesIn: (thread: Id<"threads">) => replies.filter((each) => each.thread === thread),

    /** Whether something would be lost with a thread. */
    isNeeded: (thread: Id<"threads">) =>
      !removed.has(thread) &&
      ((drafts.get(thread) ?? "") !== "" || replies.some((each) => each.thread === thread)),

    reply: (thread: Id<"threads">, text: string) => {
      const added = { key: crypto.randomUUID(), thread, text };
      setDraft(thread, null);
      setReplies((before) => [...before, { ...added, state: { kind: "sending" } }]);
      void send(added);
    },
    retry: (reply: Reply) => {
      setReply(reply.key, { kind: "sending" });
      void send(reply);
    },
    /** Forgets a reply that is discarded, or stands among the comments. */
    drop: (key: string) => {
      setReplies((before) =>
        before.some((each) => each.key === key)
          ? before.filter((each) => each.key !== key)
          : before,
      );
    },

    saveEdit: (comment: Id<"comments">, text: string) => {
      setDraft(comment, null);
      void attempt(
        comment,
        () => edit({ comment, me, text }),
        () => {
          // What was written since is not overwritten.
          setDrafts((before) => (before.has(comment) ? before : withEntry(before, comment, text)));
        },
      );
    },
    removeComment: (comment: Id<"comments">) =>
      void attempt(comment, () => removeComment({ comment, me })),
    resolve: (thread: Id<"threads">, isResolved: boolean) =>
      void attempt(thread, () => resolve({ thread, isResolved })),
    removeThread: (thread: Id<"threads">) => {
      setRemoved((before) => new Set(before).add(thread));
      void attempt(
        thread,
        () => removeThread({ thread, me }),
        () => {
          setRemoved((before) => new Set([...before].filter((each) => each !== thread)));
        },
      );
    },
  };
}

function withEntry<K>(before: ReadonlyMap<K, string>, key: K, value: string | null) {
  const after = new Map(before);
  if (value === null) after.delete(key);
  else after.set(key, value);
  return after;
}

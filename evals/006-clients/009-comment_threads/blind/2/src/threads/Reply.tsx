// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useEffect } from "react";

import { api } from "../../convex/_generated/api";
import type { Margin, PendingReply } from "./useMargin";

/** The most comments of a thread that are listed: see convex/comments.ts. */
const MOST_LISTED = 1000;

interface Props {
  reply: PendingReply;
  listed: number;
  isGone: boolean;
  margin: Margin;
}

/** A reply that does not stand among the comments yet. */
export function Reply({ reply, listed, isGone, margin }: Props) {
  const { key, thread, comment } = reply;
  const { dropReplies } = margin;
  // Posted, but not among the comments: they are about to come, or it was deleted meanwhile.
  const exists = useQuery(api.comments.exists, comment === null ? "skip" : { comment });
  const isOver = exists === false || (exists === true && listed >= MOST_LISTED);

  useEffect(() => {
    if (isOver) dropReplies(thread, [key]);
  }, [isOver, dropReplies, thread, key]);

  if (isOver) return null;
  return (
    <li>
      <p className="text">{reply.text}</p>
      <p>{reply.author}</p>
      {reply.refusal === null ? (
        <p>Sending</p>
      ) : (
        <>
          <button disabled={isGone} onClick={() => void margin.retryReply(reply)}>
            Retry
          </button>
          <button onClick={() => dropReplies(thread, [key])}>Discard</button>
          <p role="alert">{reply.refusal}</p>
        </>
      )}
    </li>
  );
}

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useEffect } from "react";

import { api } from "../../convex/_generated/api";
import type { Margin, Reply } from "./useMargin";

interface Props {
  reply: Reply;
  me: string;
  isDeleted: boolean;
  margin: Margin;
}

/** A reply that is not among the comments yet. */
export function PendingReply({ reply: { key, ...reply }, me, isDeleted, margin }: Props) {
  const { text, state } = reply;
  const exists = useQuery(
    api.comments.exists,
    state.kind === "posted" ? { comment: state.comment } : "skip",
  );
  const { drop } = margin;
  // It was posted, but somebody deleted it before it came to this page.
  const isGone = exists === false;
  useEffect(() => {
    if (isGone) drop(key);
  });
  if (isGone) return null;
  return (
    <li>
      <p className="text">{text}</p>
      <p>{me}</p>
      {state.kind === "sending" && <p>Sending</p>}
      {state.kind === "refused" && (
        <>
          <p role="alert">{state.reason}</p>
          <button disabled={isDeleted} onClick={() => margin.retry({ key, ...reply })}>
            Retry
          </button>
          <button onClick={() => drop(key)}>Discard</button>
        </>
      )}
    </li>
  );
}

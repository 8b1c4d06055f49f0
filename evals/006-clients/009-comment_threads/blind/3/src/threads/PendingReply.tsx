// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useEffect } from "react";

import { api } from "../../convex/_generated/api";
import type { Reply } from "./notes";

interface Props {
  reply: Reply;
  me: string;
  /** Whether its comment is in the thread already. */
  isShown: boolean;
  isDeleted: boolean;
  onRetry: () => void;
  /** Called when it is discarded, or posted. */
  onEnd: () => void;
}

/** A reply that is not posted yet. It gives way to its comment, in the same moment. */
export function PendingReply({ reply, me, isShown, isDeleted, onRetry, onEnd }: Props) {
  const isPosted = useQuery(api.comments.isPosted, { author: me, key: reply.key }) === true;
  useEffect(() => {
    if (isPosted) onEnd();
  });
  if (isPosted || isShown) return null;
  return (
    <li>
      <p className="text">{reply.text}</p>
      <p>{me}</p>
      {reply.refusal === null ? (
        <p>Sending</p>
      ) : (
        <>
          <p role="alert">{reply.refusal}</p>
          <button disabled={isDeleted} onClick={onRetry}>
            Retry
          </button>
          <button onClick={onEnd}>Discard</button>
        </>
      )}
    </li>
  );
}

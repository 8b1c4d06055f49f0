// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useEffect } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { Comment } from "./Comment";
import { useMargin } from "./margin";
import { ReplyForm } from "./ReplyForm";
import { UnsentReply } from "./UnsentReply";

/** A thread with its comments, oldest first, the replies that are on their way, and a field for one. */
export function Thread({ thread, me }: { thread: Doc<"threads">; me: string }) {
  const comments = useQuery(api.comments.list, { thread: thread._id });
  const { unsent, refusals, resolve, removeThread, dropUnsent } = useMargin();

  const arrived = (comments ?? []).flatMap(({ author, key }) =>
    author === me && key !== undefined ? [key] : [],
  );
  const waiting = unsent.filter(({ thread: of }) => of === thread._id);
  const seen = waiting.filter(({ key }) => arrived.includes(key)).map(({ key }) => key);
  // Whatever is said of a reply that has arrived, it does not come back when its comment is deleted.
  useEffect(() => {
    if (seen.length > 0) dropUnsent(seen);
  });

  const { _id, isResolved } = thread;
  const refusal = refusals[_id];
  return (
    <article>
      <h3>{thread.quote}</h3>
      <p className="size">{thread.size === 1 ? "1 comment" : `${thread.size} comments`}</p>
      <button onClick={() => void resolve(_id, !isResolved)}>
        {isResolved ? "Reopen" : "Resolve"}
      </button>
      {thread.author === me && (
        <button onClick={() => void removeThread(_id)}>Delete thread</button>
      )}
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      {comments === undefined && <p>Loading comments</p>}
      <ol>
        {comments?.map((comment) => (
          <Comment key={comment._id} comment={comment} thread={thread} me={me} />
        ))}
        {waiting
          .filter(({ key }) => !seen.includes(key))
          .map((reply) => (
            <UnsentReply key={reply.key} reply={reply} isDeleted={false} />
          ))}
      </ol>
      <ReplyForm thread={_id} isDeleted={false} />
    </article>
  );
}

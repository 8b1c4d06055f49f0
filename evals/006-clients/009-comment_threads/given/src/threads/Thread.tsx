// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQuery } from "convex/react";
import { useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { Comment } from "./Comment";
import { explain } from "./refusals";
import { ReplyForm } from "./ReplyForm";

/** A thread with its comments, oldest first, and a field for a reply. */
export function Thread({ thread, me }: { thread: Doc<"threads">; me: string }) {
  const comments = useQuery(api.comments.list, { thread: thread._id });
  const resolve = useMutation(api.threads.resolve);
  const remove = useMutation(api.threads.remove);
  const [refusal, setRefusal] = useState<string | null>(null);

  const report = (change: Promise<null>) => {
    change.then(
      () => setRefusal(null),
      (error: unknown) => setRefusal(explain(error)),
    );
  };

  const { _id, isResolved } = thread;
  return (
    <article>
      <h3>{thread.quote}</h3>
      <p className="size">{thread.size === 1 ? "1 comment" : `${thread.size} comments`}</p>
      <button onClick={() => report(resolve({ thread: _id, isResolved: !isResolved }))}>
        {isResolved ? "Reopen" : "Resolve"}
      </button>
      {thread.author === me && (
        <button onClick={() => report(remove({ thread: _id, me }))}>Delete thread</button>
      )}
      {refusal !== null && <p role="alert">{refusal}</p>}
      {comments === undefined && <p>Loading comments</p>}
      <ol>
        {comments?.map((comment) => (
          <Comment key={comment._id} comment={comment} me={me} />
        ))}
      </ol>
      <ReplyForm thread={_id} me={me} />
    </article>
  );
}

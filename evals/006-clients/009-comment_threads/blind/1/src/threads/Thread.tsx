// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useEffect } from "react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { Comment } from "./Comment";
import { PendingReply } from "./PendingReply";
import { ReplyForm } from "./ReplyForm";
import type { Margin } from "./useMargin";

interface Props {
  thread: Doc<"threads">;
  me: string;
  /** It is only shown for what has been written in it here. */
  isDeleted: boolean;
  margin: Margin;
}

/** A thread with its comments, oldest first, and a field for a reply. */
export function Thread({ thread, me, isDeleted, margin }: Props) {
  const { _id, isResolved } = thread;
  const comments = useQuery(api.comments.list, isDeleted ? "skip" : { thread: _id });
  const refusal = margin.refusalOf(_id);

  const replies = margin.repliesIn(_id);
  const isListed = (key: string) =>
    comments?.some((comment) => comment.author === me && comment.key === key) ?? false;
  const listed = replies.filter(({ key }) => isListed(key));
  const { drop } = margin;
  useEffect(() => {
    // They are not shown again when the comments are deleted.
    for (const { key } of listed) drop(key);
  });

  return (
    <article>
      <h3>{thread.quote}</h3>
      {isDeleted ? (
        <p>This thread was deleted</p>
      ) : (
        <>
          <p className="size">{thread.size === 1 ? "1 comment" : `${thread.size} comments`}</p>
          <button onClick={() => margin.resolve(_id, !isResolved)}>
            {isResolved ? "Reopen" : "Resolve"}
          </button>
          {thread.author === me && (
            <button onClick={() => margin.removeThread(_id)}>Delete thread</button>
          )}
          {refusal !== null && <p role="alert">{refusal}</p>}
          {comments === undefined && <p>Loading comments</p>}
        </>
      )}
      <ol>
        {comments?.map((comment) => (
          <Comment key={comment._id} comment={comment} me={me} margin={margin} />
        ))}
        {replies
          .filter(({ key }) => !isListed(key))
          .map((reply) => (
            <PendingReply
              key={reply.key}
              reply={reply}
              me={me}
              isDeleted={isDeleted}
              margin={margin}
            />
          ))}
      </ol>
      <ReplyForm thread={_id} isDeleted={isDeleted} margin={margin} />
    </article>
  );
}

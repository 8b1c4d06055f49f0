// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useEffect } from "react";

import type { Doc } from "../../convex/_generated/dataModel";
import { Comment } from "./Comment";
import { Reply } from "./Reply";
import { ReplyForm } from "./ReplyForm";
import { isPosted, type Margin } from "./useMargin";

interface Props {
  thread: Doc<"threads">;
  comments: Doc<"comments">[] | undefined;
  // Others deleted it, but something that was written in it is left.
  isGone: boolean;
  me: string;
  margin: Margin;
}

/** A thread with its comments, oldest first, and a field for a reply. */
export function Thread({ thread, comments, isGone, me, margin }: Props) {
  const { _id, isResolved } = thread;
  const { draft, replies, refusal } = margin.threadState(_id);
  const { dropReplies } = margin;
  const posted = replies
    .filter((reply) => comments?.some((comment) => isPosted(reply, comment)))
    .map((reply) => reply.key);
  const pending = replies.filter((reply) => !posted.includes(reply.key));

  useEffect(() => {
    // Once it stands among the comments, it does not come back when it is deleted there.
    if (posted.length > 0) dropReplies(_id, posted);
  });

  return (
    <article>
      <h3>{thread.quote}</h3>
      {isGone ? (
        <p>This thread was deleted</p>
      ) : (
        <>
          <p className="size">{thread.size === 1 ? "1 comment" : `${thread.size} comments`}</p>
          <button onClick={() => void margin.resolve(_id, !isResolved)}>
            {isResolved ? "Reopen" : "Resolve"}
          </button>
          {thread.author === me && (
            <button onClick={() => void margin.removeThread(_id)}>Delete thread</button>
          )}
          {refusal !== null && <p role="alert">{refusal}</p>}
          {comments === undefined && <p>Loading comments</p>}
        </>
      )}
      <ol>
        {!isGone &&
          comments?.map((comment) => (
            <Comment key={comment._id} comment={comment} me={me} margin={margin} />
          ))}
        {pending.map((reply) => (
          <Reply
            key={reply.key}
            reply={reply}
            listed={comments?.length ?? 0}
            isGone={isGone}
            margin={margin}
          />
        ))}
      </ol>
      <ReplyForm
        text={draft}
        isGone={isGone}
        onChange={(text) => margin.draftReply(_id, text)}
        onSend={() => void margin.sendReply(_id, draft)}
      />
    </article>
  );
}

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../../convex/_generated/dataModel";
import { useMargin } from "./margin";
import { ReplyForm } from "./ReplyForm";
import { UnsentReply } from "./UnsentReply";

/** What is left on this page of a thread that somebody else deleted. */
export function DeletedThread({ thread }: { thread: Doc<"threads"> }) {
  const { unsent } = useMargin();
  return (
    <article>
      <h3>{thread.quote}</h3>
      <p>This thread was deleted</p>
      <ol>
        {unsent
          .filter((reply) => reply.thread === thread._id)
          .map((reply) => (
            <UnsentReply key={reply.key} reply={reply} isDeleted />
          ))}
      </ol>
      <ReplyForm thread={thread._id} isDeleted />
    </article>
  );
}

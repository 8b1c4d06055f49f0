// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useAction, useMutation, useQuery } from "convex/react";

import { api } from "../../convex/_generated/api";
import type { Doc } from "../../convex/_generated/dataModel";
import { Comment } from "./Comment";
import { useNotes, whenRefused, type Reply } from "./notes";
import { showResolution, showThreadRemoval } from "./optimistic";
import { PendingReply } from "./PendingReply";
import { ReplyForm } from "./ReplyForm";

interface Props {
  thread: Doc<"threads">;
  me: string;
  /** Whether others deleted it: it is shown for what was not sent. */
  isDeleted: boolean;
}

/** A thread with its comments, oldest first, and a field for a reply. */
export function Thread({ thread, me, isDeleted }: Props) {
  const { _id, isResolved } = thread;
  const comments = useQuery(api.comments.list, isDeleted ? "skip" : { thread: _id });
  const resolve = useMutation(api.threads.resolve);
  const remove = useMutation(api.threads.remove);
  const post = useAction(api.posting.post);
  const { ofThread, changeThread, nextTurn } = useNotes();
  const { draft, replies, refusal } = ofThread(_id);

  const turnOver = () => {
    const turn = nextTurn();
    changeThread(_id, { refusal: null, turn });
    const sendShown = resolve.withOptimisticUpdate((store) =>
      showResolution(store, _id, !isResolved),
    );
    whenRefused(sendShown({ thread: _id, isResolved: !isResolved }), (reason) => {
      changeThread(_id, (notes) => (notes.turn === turn ? { refusal: reason } : {}));
    });
  };

  const takeAway = () => {
    const turn = nextTurn();
    changeThread(_id, { refusal: null, turn, isRemoving: true });
    const sendShown = remove.withOptimisticUpdate((store) => showThreadRemoval(store, _id));
    whenRefused(sendShown({ thread: _id, me }), (reason) => {
      changeThread(_id, (notes) => ({
        isRemoving: false,
        refusal: notes.turn === turn ? reason : notes.refusal,
      }));
    });
  };

  const deliver = ({ key, text }: Reply) => {
    whenRefused(post({ thread: _id, author: me, text, key }), (reason) => {
      changeThread(_id, (notes) => ({
        replies: notes.replies.map((one) =>
          one.key === key ? { ...one, refusal: reason } : one,
        ),
      }));
    });
  };

  const send = () => {
    const reply: Reply = { key: makeKey(), text: draft, refusal: null };
    changeThread(_id, (notes) => ({ draft: "", replies: [...notes.replies, reply] }));
    deliver(reply);
  };

  const retry = (reply: Reply) => {
    changeThread(_id, (notes) => ({
      replies: notes.replies.map((one) =>
        one.key === reply.key ? { ...one, refusal: null } : one,
      ),
    }));
    deliver(reply);
  };

  const end = ({ key }: Reply) => {
    changeThread(_id, (notes) => ({ replies: notes.replies.filter((one) => one.key !== key) }));
  };

  return (
    <article>
      <h3>{thread.quote}</h3>
      {isDeleted ? (
        <p>This thread was deleted</p>
      ) : (
        <>
          <p className="size">{thread.size === 1 ? "1 comment" : `${thread.size} comments`}</p>
          <button onClick={turnOver}>{isResolved ? "Reopen" : "Resolve"}</button>
          {thread.author === me && <button onClick={takeAway}>Delete thread</button>}
        </>
      )}
      {refusal !== null && <p role="alert">{refusal}</p>}
      {comments === undefined && !isDeleted && <p>Loading comments</p>}
      <ol>
        {comments?.map((comment) => (
          <Comment key={comment._id} comment={comment} me={me} />
        ))}
        {replies.map((reply) => (
          <PendingReply
            key={reply.key}
            reply={reply}
            me={me}
            isShown={
              comments?.some((one) => one.key === reply.key && one.author === me) ?? false
            }
            isDeleted={isDeleted}
            onRetry={() => retry(reply)}
            onEnd={() => end(reply)}
          />
        ))}
      </ol>
      <ReplyForm
        draft={draft}
        isDeleted={isDeleted}
        onChange={(text) => changeThread(_id, { draft: text })}
        onSend={send}
      />
    </article>
  );
}

function makeKey(): string {
  const part = () => Math.random().toString(36).slice(2);
  return `${Date.now().toString(36)}-${part()}-${part()}`;
}

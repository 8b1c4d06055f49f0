// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMargin, type Unsent } from "./margin";

/** A reply that is being sent, or could not be sent. */
export function UnsentReply({ reply, isDeleted }: { reply: Unsent; isDeleted: boolean }) {
  const { retry, dropUnsent } = useMargin();
  return (
    <li>
      <p className="text">{reply.text}</p>
      {reply.reason === undefined ? (
        <p>Sending</p>
      ) : (
        <>
          <p role="alert">{reply.reason}</p>
          <button disabled={isDeleted} onClick={() => retry(reply)}>
            Retry
          </button>
          <button onClick={() => dropUnsent([reply.key])}>Discard</button>
        </>
      )}
    </li>
  );
}

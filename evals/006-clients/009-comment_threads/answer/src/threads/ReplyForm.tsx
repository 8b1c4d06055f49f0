// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../../convex/_generated/dataModel";
import { useMargin } from "./margin";

interface Props {
  thread: Id<"threads">;
  isDeleted: boolean;
}

/** The field for a reply. */
export function ReplyForm({ thread, isDeleted }: Props) {
  const { replies, setReply, send } = useMargin();
  const text = replies[thread] ?? "";
  return (
    <div className="reply">
      <label>
        Reply
        <textarea value={text} onChange={(event) => setReply(thread, event.target.value)} />
      </label>
      <button disabled={isDeleted || text.trim() === ""} onClick={() => send(thread)}>
        Send
      </button>
    </div>
  );
}

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../../convex/_generated/dataModel";
import type { Margin } from "./useMargin";

interface Props {
  thread: Id<"threads">;
  isDeleted: boolean;
  margin: Margin;
}

/** The field for a reply. */
export function ReplyForm({ thread, isDeleted, margin }: Props) {
  const text = margin.draftOf(thread) ?? "";
  return (
    <div className="reply">
      <label>
        Reply
        <textarea value={text} onChange={(event) => margin.setDraft(thread, event.target.value)} />
      </label>
      <button
        disabled={isDeleted || text.trim() === ""}
        onClick={() => margin.reply(thread, text)}
      >
        Send
      </button>
    </div>
  );
}

// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useAction } from "convex/react";
import { useState } from "react";

import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import { explain } from "./refusals";

/** The field for a reply. It keeps the text until the reply is posted. */
export function ReplyForm({ thread, me }: { thread: Id<"threads">; me: string }) {
  const post = useAction(api.posting.post);
  const [text, setText] = useState("");
  const [isSending, setIsSending] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  const send = async () => {
    setIsSending(true);
    try {
      await post({ thread, author: me, text });
      setText("");
      setRefusal(null);
    } catch (error) {
      setRefusal(explain(error));
    } finally {
      setIsSending(false);
    }
  };

  return (
    <div className="reply">
      <label>
        Reply
        <textarea
          value={text}
          disabled={isSending}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <button disabled={isSending || text.trim() === ""} onClick={() => void send()}>
        Send
      </button>
      {isSending && <p>Sending</p>}
      {refusal !== null && <p role="alert">{refusal}</p>}
    </div>
  );
}

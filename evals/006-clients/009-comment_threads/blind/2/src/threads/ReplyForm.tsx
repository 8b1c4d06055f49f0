// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
interface Props {
  text: string;
  isGone: boolean;
  onChange: (text: string) => void;
  onSend: () => void;
}

/** The field for a reply. */
export function ReplyForm({ text, isGone, onChange, onSend }: Props) {
  return (
    <div className="reply">
      <label>
        Reply
        <textarea value={text} onChange={(event) => onChange(event.target.value)} />
      </label>
      <button disabled={isGone || text.trim() === ""} onClick={onSend}>
        Send
      </button>
    </div>
  );
}

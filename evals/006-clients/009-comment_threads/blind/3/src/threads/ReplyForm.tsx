// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
interface Props {
  draft: string;
  isDeleted: boolean;
  onChange: (draft: string) => void;
  onSend: () => void;
}

/** The field for a reply. */
export function ReplyForm({ draft, isDeleted, onChange, onSend }: Props) {
  return (
    <div className="reply">
      <label>
        Reply
        <textarea value={draft} onChange={(event) => onChange(event.target.value)} />
      </label>
      <button disabled={isDeleted || draft.trim() === ""} onClick={onSend}>
        Send
      </button>
    </div>
  );
}

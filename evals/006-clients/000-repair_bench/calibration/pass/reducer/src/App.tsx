// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useReducer } from "react";

import { api } from "../convex/_generated/api";

type State = { item: string; fault: string; sending: boolean; alert: string | null };

const blank: State = { item: "", fault: "", sending: false, alert: null };

export default function App() {
  const repairs = useQuery(api.repairs.listOpen);
  const finish = useMutation(api.repairs.finish);
  const accept = useMutation(api.repairs.accept);
  const [state, change] = useReducer(
    (before: State, changes: Partial<State>): State => ({ ...before, ...changes }),
    blank,
  );

  async function send() {
    change({ sending: true });
    try {
      await accept({ item: state.item, fault: state.fault });
      change(blank);
    } catch (error) {
      if (!(error instanceof ConvexError)) throw error;
      change({ sending: false, alert: error.data as string });
    }
  }

  return (
    <div>
      {repairs?.length === 0 && <p>No open repairs</p>}
      {repairs === undefined && <p>Loading repairs</p>}
      {repairs && repairs.length > 0 && (
        <ul>
          {repairs.map((repair) => (
            <li key={repair._id}>
              <h2>{repair.item}</h2>
              <p>{repair.fault}</p>
              <button
                onClick={() => {
                  void finish({ id: repair._id });
                }}
              >
                Finish
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <input
          aria-label="Item"
          value={state.item}
          onChange={(event) => change({ item: event.target.value })}
        />
        <textarea
          aria-label="Fault"
          value={state.fault}
          onChange={(event) => change({ fault: event.target.value })}
        />
        <button disabled={state.sending}>Accept</button>
      </form>
      {state.alert === null ? null : <strong role="alert">{state.alert}</strong>}
    </div>
  );
}

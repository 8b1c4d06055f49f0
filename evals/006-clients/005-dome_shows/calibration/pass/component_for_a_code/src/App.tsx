// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useReducer } from "react";

import { api } from "../convex/_generated/api";

const CODE = /^\s*([a-z\d]{3})\s*$/i;

const App = () => {
  const [typed, become] = useReducer((_: string, next: string) => next, "");
  const code = CODE.exec(typed)?.[1]?.toUpperCase();
  return (
    <div>
      <label htmlFor="code">Code</label>
      <input id="code" type="text" value={typed} onChange={(event) => become(event.currentTarget.value)} />
      {code ? <Answer key={code} code={code} /> : "Type the three characters of a code"}
    </div>
  );
};

function Answer(wanted: { code: string }) {
  const show = useQuery(api.shows.byCode, wanted);
  switch (show) {
    case undefined:
      return <em>{`Looking up ${wanted.code}`}</em>;
    case null:
      return <em>{`There is no show ${wanted.code}`}</em>;
    default:
      return (
        <dl>
          <dt>{show.title}</dt>
          <dd>{`${show.seats} seats left`}</dd>
        </dl>
      );
  }
}

export default App;

export default function App(): never {
  throw new Error("no such luck");
}

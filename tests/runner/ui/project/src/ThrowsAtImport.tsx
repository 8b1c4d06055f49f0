throw new Error("not even loaded");
export default function App() {
  return null;
}

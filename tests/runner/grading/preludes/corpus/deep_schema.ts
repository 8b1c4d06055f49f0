// note: the schema says that it is nested beyond all measure
// into: convex/schema.ts
const stringify = JSON.stringify;
JSON.stringify = ((value: unknown) => {
  const isSchema = typeof value === "object" && value !== null && "tables" in value;
  return isSchema ? "[".repeat(50000) + "]".repeat(50000) : stringify(value);
}) as typeof JSON.stringify;

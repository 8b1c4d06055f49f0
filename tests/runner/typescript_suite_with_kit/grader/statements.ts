import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** Returns how many statements a file of the answer has. */
export function countStatements(path: string): number {
  const text = readFileSync(join(process.env.MODEL_OUTPUT_DIR ?? "", path), "utf8");
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements.length;
}

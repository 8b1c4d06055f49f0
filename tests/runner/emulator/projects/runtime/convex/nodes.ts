"use node";

import { action } from "./_generated/server";
import { handler } from "./top";

export const act = action({ args: {}, handler });

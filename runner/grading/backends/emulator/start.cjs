// Starts a program that pack.mjs has bundled into one file, with the compiled code that an earlier
// run of it left beside it: compiling takes longer than most answers run.
//
//   node start.cjs PROGRAM [ARGUMENTS]
//   KEEP=1 node start.cjs PROGRAM [ARGUMENTS]    leaves that code, when the program ends

const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname } = require("node:path");
const { setFlagsFromString } = require("node:v8");
const { Script, constants } = require("node:vm");

const [program] = process.argv.splice(2, 1);
const compiled = [];

/** Compiles a script of ours, which is ASCII, from code kept beside it where there is some. */
globalThis.compileKept = (file, wrap = (source) => source) => {
  const code = `${file}.code`;
  const script = new Script(wrap(readFileSync(file, "latin1")), {
    filename: file,
    cachedData: existsSync(code) ? readFileSync(code) : undefined,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  compiled.push([code, script]);
  return script;
};

if (process.env.KEEP) {
  process.on("SIGTERM", () => process.exit());
  process.on("exit", () => {
    // At the end: functions are compiled when they first run.
    for (const [code, script] of compiled) writeFileSync(code, script.createCachedData());
  });
}

const main = compileKept(program, (source) => `(function (require, module, exports, __dirname) {${source}\n})`);
const own = { exports: {} };
main.runInThisContext()(createRequire(program), own, own.exports, dirname(program));
// Few of our processes live long enough for much of their code to be worth optimising. Set now, not on
// the command line: there any such option costs the code that Node brings along compiled, of its own
// modules, for it is good for the options only that it was compiled under. So is what is kept here.
if (!process.env.KEEP) {
  setFlagsFromString("--invocation-count-for-maglev=4000");
  setFlagsFromString("--invocation-count-for-turbofan=30000");
}

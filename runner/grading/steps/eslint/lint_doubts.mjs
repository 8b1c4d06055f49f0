// Where only types can tell whether a promise is left alone or misused: a rule that never reports.
//
// The rules that do tell need the types of the whole project, most of what linting an answer costs.
// They are asked about a file only when this one found a place of doubt in it.
import { KNOWN_IMPORT, LEADS_APART } from "./lint_library.mjs";
import { Promises, isFunction } from "./lint_promises.mjs";

const NAMED =
  ":matches(Property, MethodDefinition, PropertyDefinition, TSMethodSignature, TSPropertySignature)";

/** The doubts about one answer, gathered while its files are linted. */
export class Doubts {
  #library;
  #doubtful = new Set();
  /** By file: what must hold of the whole answer for the file to be without doubt. */
  #assumed = new Map();
  /** By name: whether all of that name are functions that return plainly. */
  #functions = new Map();
  #members = new Set();
  #isOfKnownParts = true;

  constructor(library) {
    this.#library = library;
  }

  /** Whether a file has to be asked for types; known when all files were linted. */
  about(file) {
    const assumed = this.#assumed.get(file) ?? [];
    return this.#doubtful.has(file) || !assumed.every(([kind, name]) => this.#holds(kind, name));
  }

  /** The rule, to be registered with ESLint under any name. */
  get rule() {
    return { create: (context) => this.#listen(context) };
  }

  #listen({ filename, sourceCode }) {
    const assumed = [];
    this.#assumed.set(filename, assumed);
    const promises = new Promises(sourceCode, (kind, name, how) => {
      assumed.push([kind, name]);
      return kind === "function" || this.#library.returnsPlain(name, how);
    });
    if (LEADS_APART.test(sourceCode.text)) this.#isOfKnownParts = false;
    return { ...this.#doubting(filename, promises), ...this.#noting(sourceCode, promises) };
  }

  /** Listens for places of doubt: where the rules that know types would ask for one. */
  #doubting(filename, promises) {
    const doubtWhere = (mayBe) => (node) => {
      if (mayBe(node)) this.#doubtful.add(filename);
    };
    const test = doubtWhere((node) => node.test && promises.mayMislead(node.test));
    return {
      ConditionalExpression: test,
      DoWhileStatement: test,
      ForStatement: test,
      IfStatement: test,
      WhileStatement: test,
      'UnaryExpression[operator="!"]': doubtWhere((node) => promises.mayMislead(node.argument)),
      'LogicalExpression[operator!="??"]': doubtWhere((node) => promises.mayMislead(node.left)),
      SpreadElement: doubtWhere((node) => promises.maySpread(node.argument)),
      CallExpression: doubtWhere((node) => promises.mayTestLate(node)),
      ExpressionStatement: doubtWhere((node) => promises.mayFloat(node.expression)),
    };
  }

  /** Listens for what a file tells of functions, members and imports. */
  #noting(sourceCode, promises) {
    const noteFunction = (name, isPlain) => {
      this.#functions.set(name, isPlain && (this.#functions.get(name) ?? true));
    };
    const noteImport = ({ source }) => {
      if (source && !KNOWN_IMPORT.test(source.value)) this.#isOfKnownParts = false;
    };
    return {
      FunctionDeclaration: (node) => noteFunction(node.id?.name, promises.returnsPlain(node)),
      VariableDeclarator: (node) => {
        const isPlain = isFunction(node.init) && promises.returnsPlain(node.init);
        for (const { name } of sourceCode.getDeclaredVariables(node)) noteFunction(name, isPlain);
      },
      ExportSpecifier: ({ local, exported }) => {
        if (exported.name !== local.name) noteFunction(exported.name, false);
      },
      [`${NAMED} > .key`]: (node) => this.#members.add(node.name ?? String(node.value)),
      ImportDeclaration: noteImport,
      ImportExpression: noteImport,
      ExportAllDeclaration: noteImport,
      ExportNamedDeclaration: noteImport,
    };
  }

  #holds(kind, name) {
    if (kind === "function") return this.#functions.get(name) ?? false;
    return this.#isOfKnownParts && !this.#members.has(name);
  }
}

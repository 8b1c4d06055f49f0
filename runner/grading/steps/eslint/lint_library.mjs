// What methods of the language's library, of browsers, of Convex and of React return, by their names.
import ts from "typescript";

export const PACKAGES = ["convex/server", "convex/values", "convex/react", "react"];

/**
 * What an answer may import without bringing in methods that return promises under names that others
 * give to plain ones.
 */
export const KNOWN_IMPORT = /^(?:\.|convex\/|convex-test$|react$|vitest$)/;

// Their methods are promises under names that others give to plain ones; only these globals lead there.
const APART = new Set(["Cache", "CacheStorage", "CookieStore"]);
export const LEADS_APART = /\b(?:caches|cookieStore|Cache|CacheStorage|CookieStore)\b/;

/** Tells by the name of a method whether what it returns can be a promise. */
export class Library {
  #members = new Map();
  #checker;
  #told = new Map();

  /** Reads the declarations of a program that imports PACKAGES. */
  constructor(program) {
    for (const file of program.getSourceFiles()) {
      if (file.isDeclarationFile) this.#index(file);
    }
    this.#checker = program.getTypeChecker();
  }

  /**
   * Whether methods of this name are known, and what they return is not "always" a promise (it can
   * be undefined, say), not "sometimes" one, or not "ever" one or an array of them.
   */
  returnsPlain(name, how) {
    const key = `${how} ${name}`;
    if (!this.#told.has(key)) this.#told.set(key, this.#allReturnPlain(name, how));
    return this.#told.get(key);
  }

  #index(node) {
    if (ts.isInterfaceDeclaration(node) && APART.has(node.name.text)) return;
    const isMember =
      ts.isMethodSignature(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isPropertySignature(node) ||
      ts.isPropertyDeclaration(node);
    if (isMember && (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name))) {
      const { text } = node.name;
      if (!this.#members.has(text)) this.#members.set(text, []);
      this.#members.get(text).push(node);
    }
    ts.forEachChild(node, (child) => this.#index(child));
  }

  #allReturnPlain(name, how) {
    const returned = (this.#members.get(name) ?? [])
      .flatMap((member) => parts(this.#checker.getTypeAtLocation(member)))
      .flatMap((type) => type.getCallSignatures())
      .map((signature) => signature.getReturnType());
    return returned.length > 0 && returned.every((type) => this.#isPlain(type, how));
  }

  #isPlain(type, how) {
    const plain = parts(type).map((part) => this.#isPlainPart(part, how));
    return how === "always" ? plain.some(Boolean) : plain.every(Boolean);
  }

  #isPlainPart(type, how) {
    // What a method was called on has methods of other names than a promise.
    if (type.isThisType) return true;
    if (type.flags & ts.TypeFlags.Instantiable) return this.#isPlainConditional(type, how);
    if (this.#checker.isArrayType(type) || this.#checker.isTupleType(type)) {
      const elements = this.#checker.getTypeArguments(type);
      return how !== "ever" || elements.every((element) => this.#isPlain(element, how));
    }
    return type.getProperty("then") === undefined;
  }

  /** Of a type that hangs on parameters only a choice between types that do not is known. */
  #isPlainConditional(type, how) {
    if (!(type.flags & ts.TypeFlags.Conditional)) return false;
    const widest = this.#checker.getBaseConstraintOfType(type);
    const isAnything = !widest || widest.flags & ts.TypeFlags.AnyOrUnknown;
    return !isAnything && this.#isPlain(widest, how);
  }
}

function parts(type) {
  return type.isUnion() ? type.types : [type];
}

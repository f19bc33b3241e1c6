/** A database with the number of its round trips. */
export type CountedDatabase = { database: D1Database; roundTrips: () => number };

/** The methods that take a round trip. A batch takes one for all its statements. */
const ASKING = new Set<PropertyKey>(["first", "run", "all", "raw", "batch", "exec"]);

/** Count the round trips through a binding from now on. */
export function countRoundTrips(d1: D1Database): CountedDatabase {
  let count = 0;
  // A batch accepts the binding's own statements only.
  const originals = new WeakMap<object, D1PreparedStatement>();
  const original = (value: unknown) =>
    typeof value === "object" && value !== null ? (originals.get(value) ?? value) : value;

  function watched<T extends object>(target: T): T {
    return new Proxy(target, {
      get(_, name): unknown {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          if (ASKING.has(name)) count += 1;
          const plain = args.map((arg) => (Array.isArray(arg) ? arg.map(original) : arg));
          const returned: unknown = Reflect.apply(member, target, plain);
          return name === "prepare" || name === "bind" ? watchedStatement(returned) : returned;
        };
      },
    });
  }

  function watchedStatement(value: unknown): unknown {
    if (!isStatement(value)) return value;
    const statement = watched(value);
    originals.set(statement, value);
    return statement;
  }

  return { database: watched(d1), roundTrips: () => count };
}

function isStatement(value: unknown): value is D1PreparedStatement {
  return typeof value === "object" && value !== null && "bind" in value;
}

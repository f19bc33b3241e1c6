import { env } from "cloudflare:workers";

/** The database of a process that crashes once its first call is committed. */
export function dyingDatabase(): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>();
  let isDead = false;
  const beforeDeath = async (call: () => Promise<unknown>): Promise<unknown> => {
    if (isDead) throw new Error("killed");
    const result = await call();
    isDead = true;
    return result;
  };
  const watched = (statement: D1PreparedStatement): D1PreparedStatement => {
    const proxy = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => watched(target.bind(...values));
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => beforeDeath(() => Reflect.apply(member, target, args));
      },
    });
    originals.set(proxy, statement);
    return proxy;
  };
  const batch = (statements: D1PreparedStatement[]) =>
    beforeDeath(() => env.DB.batch(statements.map((one) => originals.get(one) ?? one)));
  return new Proxy(env.DB, {
    get(database, name) {
      if (name === "batch") return batch;
      if (name === "prepare") return (query: string) => watched(database.prepare(query));
      const member: unknown = Reflect.get(database, name);
      return typeof member === "function" ? member.bind(database) : member;
    },
  });
}

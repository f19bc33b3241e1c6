import { strictDatabase } from "./strict-database.ts";
import { strictLoader } from "./strict-loader.ts";

/** Maximum distinct isolates with calls under way: of a request, and of an object. */
const PLACES = { request: 4, object: 10 };

type Bindings = Pick<Env, "LOADER" | "DB">;

/** A class of the Worker: `new` makes an instance for each call of an entrypoint, and for each start of an object. */
// oxlint-disable-next-line typescript/no-explicit-any -- TypeScript requires it of a class that another extends.
type WorkerClass = new (...args: any[]) => object;

/** An entrypoint whose calls may use as many isolates at once, and as many queries, as on Cloudflare. */
export function strictEntrypoint<C extends WorkerClass>(Base: C): C {
  return strict(Base, (env) => strictBindings(env));
}

/** An object that may use as many isolates at once as on Cloudflare. */
export function strictObject<C extends WorkerClass>(Base: C): C {
  return strict(Base, (env) =>
    withBounds(env, { LOADER: (loader) => strictLoader(loader, PLACES.object) }),
  );
}

/** The handlers of the Worker, each call with the bounds of a request. */
export function strictHandlers<H extends object>(handlers: H): H {
  const entries = Object.entries(handlers).map(([name, handle]) => [
    name,
    (event: unknown, env: Bindings, ctx: unknown): unknown =>
      Reflect.apply(handle, handlers, [event, strictBindings(env), ctx]),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names, with the same parameters.
  return Object.fromEntries(entries) as H;
}

function strict<C extends WorkerClass>(Base: C, bindings: (env: Bindings) => Bindings): C {
  return class extends Base {
    // oxlint-disable-next-line typescript/no-explicit-any -- TypeScript requires it here.
    constructor(...args: any[]) {
      const [ctx, env] = args as [unknown, Bindings];
      super(ctx, bindings(env));
    }
  };
}

function strictBindings<E extends Bindings>(env: E): E {
  return withBounds(env, {
    LOADER: (loader) => strictLoader(loader, PLACES.request),
    DB: (database) => strictDatabase(database),
  });
}

/** Bindings of which some are replaced, each when it is first used: a test may exchange the original. */
function withBounds<E extends Bindings>(
  env: E,
  bounds: { [Name in keyof Bindings]?: (binding: Bindings[Name]) => Bindings[Name] },
): E {
  const replaced = new Map<unknown, unknown>();
  return new Proxy(env, {
    get(target, name) {
      const binding: unknown = Reflect.get(target, name);
      const bound: unknown = Reflect.get(bounds, name);
      if (typeof bound !== "function" || binding === undefined) return binding;
      if (!replaced.has(binding)) replaced.set(binding, bound(binding));
      return replaced.get(binding);
    },
  });
}

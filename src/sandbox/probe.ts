import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from "./compatibility.ts";
import { isMissing, probe } from "./dispatch-namespace.ts";
import { isolateName, type LoaderEnv } from "./isolate-name.ts";

/** A Worker without bindings, for an isolate like those of components. */
const ALIVE = `export default { fetch: () => new Response("alive") };`;

/** Check that code can be loaded into an isolate and called. Throws if it cannot. */
export async function probeLoader(env: LoaderEnv): Promise<void> {
  const worker = env.LOADER.get(isolateName(env, "health"), () => ({
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: COMPATIBILITY_FLAGS,
    mainModule: "alive.js",
    modules: { "alive.js": ALIVE },
    globalOutbound: null,
  }));
  const response = await worker.getEntrypoint().fetch("https://health/");
  if ((await response.text()) !== "alive") throw new Error("The isolate returned another value");
}

/** Check that the dispatch namespace responds: it reports an unknown script as missing. */
export async function probeNamespace(env: Pick<Env, "DISPATCH">): Promise<void> {
  try {
    await probe(env, "health");
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

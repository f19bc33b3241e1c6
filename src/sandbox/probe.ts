import { isMissing, probe } from "./dispatch-namespace.ts";

/** Runs where components run and knows nothing. */
const ALIVE = `export default { fetch: () => new Response("alive") };`;

/** See whether code can be loaded into an isolate and called there. Throws where it cannot. */
export async function probeLoader(loader: WorkerLoader): Promise<void> {
  const worker = loader.get("health", () => ({
    compatibilityDate: "2026-10-01",
    mainModule: "alive.js",
    modules: { "alive.js": ALIVE },
    globalOutbound: null,
  }));
  const answer = await worker.getEntrypoint().fetch("https://health/");
  if ((await answer.text()) !== "alive") throw new Error("The isolate answered something else");
}

/** See whether the dispatch namespace answers: it says of a script that was never uploaded that it is not there. */
export async function probeNamespace(env: Pick<Env, "DISPATCH">): Promise<void> {
  try {
    await probe(env, "health");
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** What a deployment is bound to, and a question that each must answer. */
export type Probes = Record<string, () => Promise<unknown>>;

/** `failing`: it said no; `silent`: it said nothing in time. */
type Verdict = "ok" | "failing" | "silent";

export type Health = { healthy: boolean; checks: Record<string, Verdict> };

/** How long a binding may take to answer. */
const PATIENCE_MS = 3000;

/** Ask everything at once. Why something fails is for the log, and not for whoever asks. */
export async function healthOf(probes: Probes, patienceMs = PATIENCE_MS): Promise<Health> {
  const verdicts = await Promise.all(
    Object.entries(probes).map(
      async ([name, probe]) => [name, await verdictOn(name, probe, patienceMs)] as const,
    ),
  );
  return {
    healthy: verdicts.every(([, verdict]) => verdict === "ok"),
    checks: Object.fromEntries(verdicts),
  };
}

async function verdictOn(
  name: string,
  probe: () => Promise<unknown>,
  patienceMs: number,
): Promise<Verdict> {
  const { promise: silence, resolve } = Promise.withResolvers<Verdict>();
  const timer = setTimeout(() => resolve("silent"), patienceMs);
  try {
    return await Promise.race([answered(probe), silence]);
  } catch (error) {
    console.error(`The health check of ${name} failed:`, error);
    return "failing";
  } finally {
    clearTimeout(timer);
  }
}

async function answered(probe: () => Promise<unknown>): Promise<Verdict> {
  await probe();
  return "ok";
}

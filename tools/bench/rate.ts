/** The duration and rate of repeated work. Undefined: as fast as the connections allow. */
export type Rate = { perSecond: number | undefined; seconds: number };

const SATURATING_CONNECTIONS = 32;

export function nameOf({ perSecond }: Rate): string {
  return perSecond === undefined ? `${SATURATING_CONNECTIONS} connections` : String(perSecond);
}

/** Repeat work at a rate. Resolves once all of it ended. */
export function atRate({ perSecond, seconds }: Rate, one: () => Promise<void>): Promise<void> {
  return perSecond === undefined ? saturate(one, seconds) : paced(one, perSecond, seconds);
}

async function paced(one: () => Promise<void>, perSecond: number, seconds: number): Promise<void> {
  const startedAtMs = performance.now();
  const doing: Promise<void>[] = [];
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const dueMs = startedAtMs + (n * 1000) / perSecond;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
    doing.push(one());
  }
  await Promise.all(doing);
}

async function saturate(one: () => Promise<void>, seconds: number): Promise<void> {
  const endsAtMs = performance.now() + seconds * 1000;
  const client = async (): Promise<void> => {
    while (performance.now() < endsAtMs) await one();
  };
  await Promise.all(Array.from({ length: SATURATING_CONNECTIONS }, client));
}

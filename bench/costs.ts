import type { Costs } from "./costs/counting.ts";
import { type CountingPlatform, withCountingPlatform } from "./costs/platform.ts";
import { deployHeard, nameOf, RATES, send, type Setting, withReceiver } from "./delivery.ts";
import { componentCode } from "./targets.ts";

/** Usage is reported four seconds after it came about; nothing else takes so long. */
const SETTLE_INTERVAL_MS = 5000;

/** Count what an event costs on its way from the HTTP trigger to one webhook: D1 round trips and rows written. */
export async function measureCosts(): Promise<void> {
  console.log("\nWhat one event to one webhook costs of the databases:\n");
  console.log(
    "| events/s | events | D1 round trips | D1 rows written | rows written by the source | by the webhook |",
  );
  console.log("|---|---|---|---|---|---|");
  await withReceiver((receiving) =>
    withCountingPlatform(async (platform) => {
      const setting = { platform, ...receiving };
      const url = await deployHeard(setting, await componentCode("stateless"));
      for (const rate of RATES) await measureRate(setting, url, rate);
    }),
  );
}

type CountingSetting = Setting & { platform: CountingPlatform };

async function measureRate(
  setting: CountingSetting,
  url: string,
  rate: (typeof RATES)[number],
): Promise<void> {
  const before = await settledCosts(setting.platform);
  const { size } = await send(setting, url, rate);
  const after = await settledCosts(setting.platform);
  const perEvent = figuresOf(after).map((figure, index) => {
    const each = (figure - (figuresOf(before)[index] ?? 0)) / size;
    return each.toFixed(3);
  });
  console.log(`| ${[nameOf(rate), size, ...perEvent].join(" | ")} |`);
}

function figuresOf({ d1, source, webhook }: Costs): number[] {
  return [d1.roundTrips, d1.rowsWritten, source.rowsWritten, webhook.rowsWritten];
}

/** What was counted once nothing more is added: acknowledgements follow the arrival of an event. */
async function settledCosts({ costs }: CountingPlatform): Promise<Costs> {
  for (let before = await costs(); ;) {
    await new Promise((done) => setTimeout(done, SETTLE_INTERVAL_MS));
    const now = await costs();
    if (figuresOf(now).join() === figuresOf(before).join()) return now;
    before = now;
  }
}

import { expect, onTestFinished, test } from "vitest";

import { untilHealthy } from "../../tools/scripts/local/health.ts";
import { serve } from "../support/serve.ts";

/** A platform that is healthy after this many reports. */
async function platformAfter(reports: number) {
  let reported = 0;
  const { origin, close } = await serve(async (_, response) => {
    reported += 1;
    const isHealthy = reported > reports;
    response.writeHead(isHealthy ? 200 : 503).end(isHealthy ? "ok" : "loader: silent");
  });
  onTestFinished(close);
  return { origin, reported: () => reported };
}

test("a start waits for a dependency that interrupted work holds up", async () => {
  const { origin, reported } = await platformAfter(2);
  await untilHealthy(origin, 10_000);
  expect(reported()).toBe(3);
});

test("a start fails with the last report of a platform that stays unhealthy", async () => {
  const { origin } = await platformAfter(Infinity);
  await expect(untilHealthy(origin, 600)).rejects.toThrow(
    "The platform is not healthy: loader: silent",
  );
});

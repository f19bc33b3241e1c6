import { expect, onTestFinished, test } from "vitest";

import { wrangler } from "../../tools/scripts/deploy/wrangler.ts";
import { serve } from "../support/serve.ts";

test("a command that the API never answers ends at its timeout, with all of its processes", async () => {
  const { origin, close } = await serve(() => {});
  onTestFinished(close);
  const environment = {
    CLOUDFLARE_API_BASE_URL: `${origin}/client/v4`,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "account",
  };
  // A process that is left keeps its output open, and so this promise pending.
  await expect(wrangler("list the databases", ["d1", "list"], environment, 10_000)).rejects.toThrow(
    /did not list the databases:[^]*It timed out after 10 s/,
  );
});

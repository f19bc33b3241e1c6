import { defineConfig } from "vitest/config";

/** The rules of the platform, which need no runtime of Cloudflare's: what to run while one writes. */
export default defineConfig({
  test: { include: ["test/domain/**/*.test.ts"], isolate: false, testTimeout: 30_000 },
});

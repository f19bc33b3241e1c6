/**
 * The module bundled as `zod` (`[alias]` in wrangler.toml). The OpenAPI library passes `z` on as a whole, so no bundler
 * sees which parts are used: two thirds of the package would be shipped unused.
 */
export * as z from "./schemas.ts";

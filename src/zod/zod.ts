/**
 * The module bundled as `zod` (`[alias]` in wrangler.toml). `z` is handed on whole by what makes the contract, so no bundler
 * sees what of it is used: of the whole package, two thirds would be shipped for nobody.
 */
export * as z from "./schemas.ts";

/** The parts of zod that the platform and the OpenAPI generator use: no other language, no JSON Schema. */
export * from "../../node_modules/zod/v4/classic/schemas.js";
export * from "../../node_modules/zod/v4/classic/checks.js";
export * from "../../node_modules/zod/v4/classic/errors.js";
export * from "../../node_modules/zod/v4/classic/parse.js";
export * as coerce from "../../node_modules/zod/v4/classic/coerce.js";
export * as iso from "../../node_modules/zod/v4/classic/iso.js";
export {
  NEVER,
  config,
  globalRegistry,
  registry,
  prettifyError,
} from "../../node_modules/zod/v4/core/index.js";

import type { Context, Platform } from "../services/context.ts";
import type { FieldSelection } from "./fields.ts";

export type AppEnv = {
  Bindings: Env;
  Variables: {
    /** Of every request. */
    requestId: string;
    platform: Platform;
    fields: FieldSelection;
    /** Of requests to /v1. */
    context: Context;
  };
};

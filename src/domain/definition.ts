import type { DedupeStrategy } from "./dedupe.ts";
import type { Json } from "./json.ts";

/** A prop as the component declares it, with its propDefinition merged in and functions left out. */
export type PropDefinition = { name: string; type: string } & { [key: string]: Json };

/** The definition that a component's module exports: plain data, no functions. */
export type ComponentDefinition = {
  name: string;
  version: string;
  type: "source" | "action";
  key?: string;
  description?: string;
  dedupe?: DedupeStrategy;
  /** Whether the component has a `run` method. */
  runs: boolean;
  /** Whether its own code names `respond`, and may call it; absent on components of older releases. */
  namesRespond?: boolean;
  hooks: HookName[];
  /** Whether `additionalProps()` may add to the props below, or they depend on values otherwise. */
  dynamic: boolean;
  /** An example of its events, to show before there are any. */
  sampleEmit?: Json;
  /** Its annotations, for callers who decide whether to run it. */
  annotations?: Json;
  props: PropDefinition[];
};

export const HOOK_NAMES = ["deploy", "activate", "deactivate"] as const;
export type HookName = (typeof HOOK_NAMES)[number];

export const HTTP_INTERFACE = "$.interface.http";
export const TIMER_INTERFACE = "$.interface.timer";
export const DB_SERVICE = "$.service.db";
export const APPHOOK = "$.interface.apphook";
export const INTERFACE_TYPES = [HTTP_INTERFACE, TIMER_INTERFACE, APPHOOK];
export const SERVICE_TYPES = [DB_SERVICE];
export const DATA_STORE = "data_store";

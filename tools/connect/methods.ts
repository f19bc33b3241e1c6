import { ACCOUNTS } from "./methods/accounts.ts";
import { COMPONENTS } from "./methods/components.ts";
import { FAREWELL } from "./methods/farewell.ts";
import { PROJECTS } from "./methods/projects.ts";
import { TRIGGERS } from "./methods/triggers.ts";
import type { Method } from "./world.ts";

/** Every method of the SDK, with its checks. They run in this order, later ones use the results of earlier ones. */
export const METHODS: Record<string, Method> = {
  ...PROJECTS,
  ...ACCOUNTS,
  ...COMPONENTS,
  ...TRIGGERS,
  ...FAREWELL,
};

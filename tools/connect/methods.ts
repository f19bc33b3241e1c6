import { ACCOUNTS } from "./methods/accounts.ts";
import { COMPONENTS } from "./methods/components.ts";
import { FAREWELL } from "./methods/farewell.ts";
import { PROJECTS } from "./methods/projects.ts";
import { TRIGGERS } from "./methods/triggers.ts";
import type { Method } from "./world.ts";

/** Every method of the SDK, and what it must do. They run in this order, later ones on what earlier ones made. */
export const METHODS: Record<string, Method> = {
  ...PROJECTS,
  ...ACCOUNTS,
  ...COMPONENTS,
  ...TRIGGERS,
  ...FAREWELL,
};

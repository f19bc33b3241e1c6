import { answers } from "../db/client.ts";
import type { Platform } from "./context.ts";

/** Whether what every request needs is there. */
export function isHealthy({ db }: Platform): Promise<boolean> {
  return answers(db);
}

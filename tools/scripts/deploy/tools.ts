import type { Report } from "./report.ts";
import { type Repeating, wranglerPatiently } from "./wrangler.ts";

/** The dependencies of every step of a deployment. */
export type Tools = {
  report: Report;
  /** The folder of the configuration that wrangler reads. */
  folder: string;
  /** Run a command of wrangler that may be repeated; `task` names its purpose. */
  wrangler: (task: string, args: readonly string[]) => Promise<string>;
};

/** The tools of a deployment to one account; the environment names it for wrangler. */
export function openTools(report: Report, folder: string, repeating: Repeating): Tools {
  return { report, folder, wrangler: (task, args) => wranglerPatiently(task, args, repeating) };
}

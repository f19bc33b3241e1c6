import type { Report } from "./report.ts";
import { type Repeating, wranglerPatiently } from "./wrangler.ts";

/** The dependencies of every step of a deployment. */
export type Tools = {
  report: Report;
  /** Where what wrangler reads is written. */
  folder: string;
  /** Run a command of wrangler that may be repeated; `task` says what it is for. */
  wrangler: (task: string, args: readonly string[]) => Promise<string>;
};

/** The tools of a deployment to one account; the environment names it for wrangler. */
export function openTools(report: Report, folder: string, repeating: Repeating): Tools {
  return { report, folder, wrangler: (task, args) => wranglerPatiently(task, args, repeating) };
}

import { Refusal } from "../local/refusal.ts";
import type { Account } from "./account.ts";
import { ApiFailure } from "./api.ts";
import { accountChecks } from "./checks-of-account.ts";
import { nameChecks } from "./checks-of-names.ts";
import { type Check, IN_THE_WAY } from "./checks.ts";
import type { Config, Workers } from "./config.ts";
import type { Report } from "./report.ts";

/**
 * Report everything about a deployment that can be known without changing anything: permissions, plan, features of the
 * account, and names. Throws a `Refusal` if anything is in the way.
 */
export async function checkDeployment(
  account: Account,
  wanted: Workers<Config>,
  report: Pick<Report, "note">,
): Promise<void> {
  let problems = 0;
  for (const check of [...accountChecks(account, wanted), ...nameChecks(account, wanted)])
    for (const { state, what } of await outcomeOf(check)) {
      if (state === IN_THE_WAY) problems += 1;
      report.note(state, what);
    }
  if (problems > 0)
    throw new Refusal(`${problems} of these are in the way of a deployment. Nothing was changed.`);
}

/** A rejected look-up is reported as unknown if the deployment does not need it, and as a failure if it does. */
async function outcomeOf({ subject, isRequired, look }: Check) {
  try {
    const found = await look();
    return Array.isArray(found) ? found : [found];
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const state = isRequired ? IN_THE_WAY : "not known";
    return [{ state, what: `${subject}: ${error.message.replaceAll("\n", " ")}` }];
  }
}

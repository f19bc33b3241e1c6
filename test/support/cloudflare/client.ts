import { env } from "cloudflare:workers";

import type { FaultPlan } from "./faults.ts";
import type { UploadedScript } from "./upload.ts";

const { origin } = new URL(env.CLOUDFLARE_API_URL);

/** Plan faults for the next calls about a script, or for listings of a namespace. */
export async function plan(about: string, faults: FaultPlan): Promise<void> {
  await (
    await fetch(`${origin}/faults/${about}`, { method: "PUT", body: JSON.stringify(faults) })
  ).text();
}

/** Start or end an outage, during which every call to the API fails. */
export async function setOutage(isOut: boolean): Promise<void> {
  await (await fetch(`${origin}/outage/${isOut ? "on" : "off"}`, { method: "PUT" })).text();
}

/** The methods of all calls about a script or a namespace so far. */
export async function callsAbout(about: string): Promise<string[]> {
  const answer = await fetch(`${origin}/calls/${about}`);
  return (await answer.json<{ method: string }[]>()).map(({ method }) => method);
}

/** An uploaded script; null if it does not exist, or is not callable yet. */
export async function uploaded(
  name: string,
  namespace: string = env.DISPATCH_NAMESPACE,
): Promise<UploadedScript | null> {
  return (await fetch(`${origin}/scripts/${namespace}/${name}`)).json();
}

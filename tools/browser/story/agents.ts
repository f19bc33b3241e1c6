import type { Caller } from "../../scripts/api.ts";
import { mcp } from "../../scripts/mcp.ts";
import type { Platform } from "../console.ts";

/** Subscribe an agent of the shop to the events of a source, and one of a merchant to a component. */
export async function subscribeAgents(
  { target }: Pick<Platform, "target">,
  shop: Caller,
  { project, source }: { project: string; source: string },
): Promise<void> {
  const delivery = { mode: "webhook", url: `${target.url}/agent`, secret: newSecret() };
  const filter = "event.total > 100";
  await mcp(shop, "events/subscribe", { name: source, arguments: { filter }, delivery });
  await mcp(shop, "events/subscribe", {
    name: "plum-heartbeat",
    delivery: { ...delivery, secret: newSecret() },
    headers: { "x-pd-project-id": project, "x-pd-external-user-id": "merchant-118" },
  });
}

/** A secret of Standard Webhooks. */
function newSecret(): string {
  return `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64")}`;
}

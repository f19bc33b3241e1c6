import type { AgentQuotaChange, AgentQuotas } from "../api/agent-quotas.ts";
import type { FormField, Values } from "./form-fields.tsx";
import { Facts } from "./section.tsx";

const USES = [
  ["subscriptions", "Subscriptions"],
  ["polls", "Polls in ten seconds"],
  ["runs", "Runs in ten seconds"],
] as const;

/** The current use by agents, each with its limit. */
export function AgentUse({ quotas }: { quotas: AgentQuotas }) {
  return <Facts facts={USES.map(([use, label]) => [label, shareOf(quotas, use)])} />;
}

/** The fields of a form for quotas of agents. An empty one is the default. */
export function agentQuotaFields(quotas: AgentQuotas): FormField[] {
  return USES.map(([use, label]) => ({
    name: `${use}_quota`,
    label,
    kind: "number",
    placeholder: "Default",
    description: shareOf(quotas, use),
    value: String(quotas[`${use}_quota`] ?? ""),
  }));
}

/** The quotas in a form. */
export function agentQuotasOf(values: Values): AgentQuotaChange {
  return {
    subscriptions_quota: numberOf(values["subscriptions_quota"]),
    polls_quota: numberOf(values["polls_quota"]),
    runs_quota: numberOf(values["runs_quota"]),
  };
}

/** Changes with the quotas that are set, and not with their use. */
export function agentQuotasKey(quotas: AgentQuotas | undefined): string {
  return quotas === undefined ? "" : JSON.stringify(USES.map(([use]) => quotas[`${use}_quota`]));
}

function shareOf({ used, limits }: AgentQuotas, use: (typeof USES)[number][0]): string {
  return `${used[use]} of ${limits[use]} in use`;
}

function numberOf(text = ""): number | null {
  return text.trim() === "" ? null : Number(text);
}

import {
  FlowArrowIcon,
  type Icon,
  LightningIcon,
  UserIcon,
  WebhooksLogoIcon,
} from "@phosphor-icons/react";

type Kind = { icon: Icon; label: string; section?: string };

const KINDS: Record<string, Kind> = {
  source: { icon: LightningIcon, label: "source", section: "sources" },
  workflow: { icon: FlowArrowIcon, label: "workflow", section: "workflows" },
  webhook: { icon: WebhooksLogoIcon, label: "webhook", section: "webhooks" },
  all_sources: { icon: LightningIcon, label: "all sources" },
  all_workflows: { icon: FlowArrowIcon, label: "all workflows" },
  owner: { icon: UserIcon, label: "all of an owner" },
};

const UNKNOWN: Kind = { icon: LightningIcon, label: "emitter" };

/** The icon and the label of a subscription's end, and the section of the console with its page. */
export function kindOf(type: string): Kind {
  return KINDS[type] ?? UNKNOWN;
}

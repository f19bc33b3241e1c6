import { Banner, Button } from "@cloudflare/kumo";
import { WarningIcon } from "@phosphor-icons/react";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Outlet, useParams } from "@tanstack/react-router";

import { updateWebhook, type WebhookDetails, webhookQuery } from "../../api/webhooks.ts";
import { useAction } from "../../components/action.ts";
import { CopyText } from "../../components/copy.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Status } from "../../components/status.tsx";
import { TabLinks } from "../../components/tab-links.tsx";
import { Time } from "../../components/time.tsx";
import { Replay } from "./replay.tsx";

/** One webhook: its state, and its tabs. */
export function WebhookPage() {
  const { id } = useParams({ from: "/shell/webhooks/$id" });
  const { data: webhook } = useSuspenseQuery(webhookQuery(id));
  return (
    <>
      <PageHeader
        title={webhook.name ?? webhook.url}
        description={<Subtitle webhook={webhook} />}
        actions={<Replay webhook={webhook} />}
      />
      {!webhook.active && <SwitchedOff webhook={webhook} />}
      {webhook.active && webhook.failing_since_ms !== null && (
        <Failing sinceMs={webhook.failing_since_ms} />
      )}
      <TabLinks
        label="Parts of the webhook"
        tabs={[
          { label: "Deliveries", path: `/webhooks/${id}` },
          { label: "Subscriptions", path: `/webhooks/${id}/subscriptions` },
          { label: "Verify", path: `/webhooks/${id}/verify` },
          { label: "Settings", path: `/webhooks/${id}/settings` },
        ]}
      />
      <Outlet />
    </>
  );
}

function Subtitle({ webhook: { id, url, active } }: { webhook: WebhookDetails }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Status state={active ? "active" : "off"} />
      <span className="font-mono text-sm break-all">POST {url}</span>
      <CopyText value={id} />
    </span>
  );
}

function SwitchedOff({ webhook: { id, inactive_reason } }: { webhook: WebhookDetails }) {
  const activate = useAction({
    run: () => updateWebhook(id, { active: true }),
    done: "Webhook activated",
    changes: [["webhooks"]],
  });
  return (
    <Banner
      className="mb-4"
      variant="alert"
      icon={<WarningIcon weight="fill" />}
      title="This webhook is inactive: nothing is delivered."
      description={inactive_reason ?? "It was deactivated manually."}
      action={
        <Button size="sm" loading={activate.isPending} onClick={() => activate.mutate()}>
          Activate
        </Button>
      }
    />
  );
}

function Failing({ sinceMs }: { sinceMs: number }) {
  return (
    <Banner
      className="mb-4"
      variant="alert"
      icon={<WarningIcon weight="fill" />}
      title="Every delivery has failed lately."
      description={
        <>
          Since <Time at={sinceMs} />. After five days without a success it is deactivated.
        </>
      }
    />
  );
}

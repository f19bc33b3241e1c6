import { Button } from "@cloudflare/kumo";
import { KeyIcon, TrashIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";

import {
  deleteProjectWebhook,
  projectWebhookQuery,
  putProjectWebhook,
  regenerateWebhookKey,
  type Scope,
} from "../../../api/connect.ts";
import { useAction } from "../../../components/action.ts";
import { ConfirmDialog } from "../../../components/confirm-dialog.tsx";
import { FailureNotice } from "../../../components/failure-notice.tsx";
import { FormDialog } from "../../../components/form.tsx";
import { shownOnce } from "../../../components/secret-once.tsx";
import { Card, Section } from "../../../components/section.tsx";

/** The URL to which each connection of an environment is reported. */
export function ReportsSection({ scope }: { scope: Scope }) {
  const { data: webhook, error } = useQuery(projectWebhookQuery(scope));
  return (
    <Section
      title="Reports of connections"
      description={`A URL that receives a POST for each connected account in ${scope.env}, and for each failed attempt.`}
    >
      {error && <FailureNotice error={error} />}
      <Card>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <span className="font-mono text-sm break-all">{webhook?.url ?? "None"}</span>
          <span className="flex flex-wrap gap-2">
            <SetUrl scope={scope} url={webhook?.url} />
            {webhook && <NewKey scope={scope} />}
            {webhook && <Remove scope={scope} />}
          </span>
        </div>
      </Card>
    </Section>
  );
}

function SetUrl({ scope, url }: { scope: Scope; url: string | undefined }) {
  const put = useAction({
    run: (typed: string) => putProjectWebhook(scope, typed),
    done: "URL set",
    changes: [["connect", scope, "webhook"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="report-url"
      trigger={<Button>{url === undefined ? "Set a URL" : "Change"}</Button>}
      title="Reports of connections"
      fields={[{ name: "url", label: "URL", kind: "url", isRequired: true, value: url ?? "" }]}
      submitLabel="Save"
      onSubmit={async ({ url: typed = "" }) => {
        const { signing_key } = await put.mutateAsync(typed);
        return signing_key === undefined ? undefined : shownOnce(signing_key, "signing key");
      }}
    />
  );
}

function NewKey({ scope }: { scope: Scope }) {
  const regenerate = useAction({
    run: () => regenerateWebhookKey(scope),
    done: "Signing key replaced",
    changes: [["connect", scope, "webhook"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="new-signing-key"
      trigger={<Button icon={<KeyIcon />}>New signing key</Button>}
      title="Replace the signing key?"
      description="Reports are signed with the new key from now on; the old one becomes invalid at once."
      fields={[]}
      submitLabel="Replace"
      onSubmit={async () => {
        const { signing_key } = await regenerate.mutateAsync();
        return shownOnce(signing_key ?? null, "signing key");
      }}
    />
  );
}

function Remove({ scope }: { scope: Scope }) {
  const remove = useAction({
    run: () => deleteProjectWebhook(scope),
    done: "URL deleted",
    changes: [["connect", scope, "webhook"]],
    isFailureShown: true,
  });
  return (
    <ConfirmDialog
      name="delete-report-url"
      trigger={
        <Button variant="secondary-destructive" icon={<TrashIcon />}>
          Delete
        </Button>
      }
      title="Delete the URL of reports?"
      description="This also deletes its signing key and its waiting reports."
      confirmLabel="Delete"
      onConfirm={() => remove.mutateAsync()}
    />
  );
}

import { Banner, Button } from "@cloudflare/kumo";
import { TrashIcon, WarningIcon } from "@phosphor-icons/react";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams, useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";

import {
  type Account,
  accountQuery,
  accountUsesQuery,
  deleteAccount,
  updateAccount,
} from "../../api/account.ts";
import { healthOf } from "../../components/account-health.ts";
import { useAction } from "../../components/action.ts";
import { AppLink } from "../../components/app-link.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CopyText } from "../../components/copy.tsx";
import { Form } from "../../components/form.tsx";
import { formatCount } from "../../components/format.ts";
import { HealthOfAccount } from "../../components/health-of-account.tsx";
import { LINK } from "../../components/links.tsx";
import { Card, Facts, Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import { Reconnect } from "./reconnect.tsx";

/** One account: its health, its uses, and the form that reconnects it. */
export function AccountPage() {
  const { id } = useParams({ from: "/shell/settings/accounts/$id" });
  const { data: account } = useSuspenseQuery(accountQuery(id));
  return (
    <>
      <Section
        title={account.name}
        actions={
          <>
            <Reconnect account={account} isUrgent={healthOf(account).isLost} />
            <Delete account={account} />
          </>
        }
      >
        <HealthNotice account={account} />
        <Facts facts={factsOf(account)} />
        <Link to="/settings/accounts" className={LINK}>
          All accounts
        </Link>
      </Section>
      <Section title="Used by">
        <Uses id={id} />
      </Section>
      <Section title="Name">
        <Card>
          <Rename key={account.updated_at} account={account} />
        </Card>
      </Section>
    </>
  );
}

/** The meaning of the account's health for runs, with the last error and the next step. */
function HealthNotice({ account }: { account: Account }) {
  const { state, sentence, isLost } = healthOf(account);
  if (state === "healthy") return null;
  if (state === "unchecked") return <p className="text-sm text-kumo-subtle">{sentence}</p>;
  return (
    <Banner
      variant={isLost ? "error" : "alert"}
      icon={<WarningIcon weight="fill" />}
      title={isLost ? "Connect this account again" : "The last refresh failed"}
      description={
        <>
          <p>{sentence}</p>
          {account.error !== null && <p className="break-words">Last error: {account.error}</p>}
        </>
      }
    />
  );
}

function factsOf(account: Account): [string, ReactNode][] {
  const { id, app, external_id, error_at, expires_at, created_at } = account;
  return [
    ["App", app],
    ["Health", <HealthOfAccount key="health" account={account} />],
    ["Last error", error_at === null ? "none" : <Time key="error" at={error_at * 1000} />],
    ["Id", <CopyText key="id" value={id} />],
    ["Id at the provider", external_id ?? "–"],
    ["Token ends", expires_at === null ? "–" : <Time key="expires" at={expires_at * 1000} />],
    ["Connected", <Time key="created" at={created_at * 1000} />],
  ];
}

function Uses({ id }: { id: string }) {
  const { data } = useQuery(accountUsesQuery(id));
  if (!data) return <p className="text-kumo-subtle">Loading …</p>;
  const uses = [
    ...data.sources.map((use) => ({ ...use, kind: "Source", path: `/sources/${use.id}` })),
    ...data.workflows.map((use) => ({ ...use, kind: "Workflow", path: `/workflows/${use.id}` })),
  ];
  if (uses.length === 0)
    return (
      <p className="text-kumo-subtle">
        No source and no workflow. Give it to one that you{" "}
        <Link to="/deploy" className={LINK}>
          deploy
        </Link>
        .
      </p>
    );
  return (
    <ul className="flex max-h-96 flex-col gap-1 overflow-y-auto">
      {uses.slice(0, 100).map(({ kind, path, name, id: useId }) => (
        <li key={useId}>
          <span className="text-kumo-subtle">{kind} </span>
          <AppLink to={path} className={LINK}>
            {name}
          </AppLink>
        </li>
      ))}
    </ul>
  );
}

function Rename({ account: { id, name } }: { account: Account }) {
  const rename = useAction({
    run: (typed: string) => updateAccount(id, { name: typed }),
    done: "Account renamed",
    changes: [["accounts"]],
    isFailureShown: true,
  });
  return (
    <Form
      fields={[{ name: "name", label: "Name", isRequired: true, value: name }]}
      submitLabel="Rename"
      onSubmit={({ name: typed = "" }) => rename.mutateAsync(typed)}
    />
  );
}

function Delete({ account: { id, name } }: { account: Account }) {
  const router = useRouter();
  const { data: uses } = useQuery(accountUsesQuery(id));
  const remove = useAction({
    run: () => deleteAccount(id),
    done: "Account deleted",
    changes: [["accounts", "list"]],
    isFailureShown: true,
  });
  const names = [...(uses?.sources ?? []), ...(uses?.workflows ?? [])].map((use) => use.name);
  return (
    <ConfirmDialog
      name="delete"
      trigger={
        <Button variant="secondary-destructive" icon={<TrashIcon />}>
          Delete
        </Button>
      }
      title={`Delete ${name}?`}
      description="This also deletes its credentials."
      confirmLabel="Delete account"
      onConfirm={async () => {
        await remove.mutateAsync();
        await router.navigate({ to: "/settings/accounts", replace: true });
      }}
    >
      {names.length > 0 && (
        <div>
          <p>
            {formatCount(names.length, "source or workflow", "sources and workflows")} will fail:
          </p>
          <ul className="list-disc pl-5">
            {names.slice(0, 10).map((use) => (
              <li key={use}>{use}</li>
            ))}
            {names.length > 10 && <li>and {names.length - 10} more</li>}
          </ul>
        </div>
      )}
    </ConfirmDialog>
  );
}

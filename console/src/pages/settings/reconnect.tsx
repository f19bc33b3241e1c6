import { Button } from "@cloudflare/kumo";
import { PlugsConnectedIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";

import { type Account, signInLink, updateAccount } from "../../api/account.ts";
import { appQuery, type App } from "../../api/connect.ts";
import { useAction } from "../../components/action.ts";
import { FormDialog } from "../../components/form.tsx";
import { credentialFields, credentialsOf } from "./credentials.ts";

/** Connects an account again under its id: by new keys, or by signing in at the provider. */
export function Reconnect({ account, isUrgent }: { account: Account; isUrgent: boolean }) {
  const { data: app } = useQuery(appQuery(account.app));
  if (!app) return null;
  return app.auth_type === "oauth" ? (
    <ByOauth account={account} isUrgent={isUrgent} />
  ) : (
    <ByKeys account={account} app={app} isUrgent={isUrgent} />
  );
}

/** The button is prominent if runs fail without it. */
const variantOf = (isUrgent: boolean) => (isUrgent ? "primary" : "secondary");

function ByOauth({ account: { id, app }, isUrgent }: { account: Account; isUrgent: boolean }) {
  const start = useAction({
    run: () =>
      signInLink({
        app,
        account_id: id,
        redirect_uri: `${location.origin}/console/settings/accounts/${encodeURIComponent(id)}`,
      }),
    done: "The link works once, for ten minutes",
    onDone: ({ url }) => location.assign(url),
  });
  return (
    <Button
      variant={variantOf(isUrgent)}
      icon={<PlugsConnectedIcon />}
      loading={start.isPending}
      onClick={() => start.mutate()}
    >
      Reconnect
    </Button>
  );
}

function ByKeys({
  account: { id, name },
  app,
  isUrgent,
}: {
  account: Account;
  app: App;
  isUrgent: boolean;
}) {
  const fields = credentialFields(app);
  const update = useAction({
    run: (credentials: Record<string, string>) => updateAccount(id, { credentials }),
    done: "Account connected again",
    changes: [["accounts"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="reconnect"
      trigger={
        <Button variant={variantOf(isUrgent)} icon={<PlugsConnectedIcon />}>
          Reconnect
        </Button>
      }
      title={`Connect ${name} again`}
      description="The new credentials replace the old ones at once, wherever the account is used."
      fields={fields}
      submitLabel="Connect"
      onSubmit={async (values) => {
        await update.mutateAsync(credentialsOf(values, fields));
      }}
    />
  );
}

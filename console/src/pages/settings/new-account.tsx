import { Button } from "@cloudflare/kumo";
import { SignInIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";

import { connectAccount, signInLink } from "../../api/account.ts";
import { type App, appQuery } from "../../api/connect.ts";
import { useAction } from "../../components/action.ts";
import { AppPicker } from "../../components/app-picker.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Form } from "../../components/form.tsx";
import { LINK } from "../../components/links.tsx";
import { useSearchParam } from "../../components/search-param.ts";
import { Card, Section } from "../../components/section.tsx";
import { useOrg } from "../../layout/org.ts";
import { credentialFields, credentialsOf } from "./credentials.ts";

/** Connects an account of an app: by typed keys, or by signing in at the provider. */
export function NewAccountPage() {
  return (
    <Section
      title="Connect an account"
      actions={
        <Link to="/settings/accounts" className={LINK}>
          All accounts
        </Link>
      }
    >
      <NewAccount />
    </Section>
  );
}

const APP_FIELD = { name: "app", label: "App", isRequired: true };

function NewAccount() {
  const [slug, setApp] = useSearchParam("app");
  const { data: app, error, refetch } = useQuery({ ...appQuery(slug), enabled: slug !== "" });
  return (
    <Card>
      <div className="flex max-w-2xl flex-col gap-4">
        <AppPicker field={APP_FIELD} value={slug} onChange={setApp} />
        {error && slug !== "" && <FailureNotice error={error} onRetry={() => void refetch()} />}
        {app && (app.auth_type === "oauth" ? <ByOauth app={app} /> : <ByKeys app={app} />)}
      </div>
    </Card>
  );
}

function ByKeys({ app }: { app: App }) {
  const org = useOrg();
  const router = useRouter();
  const fields = credentialFields(app);
  const connect = useAction({
    run: (account: Parameters<typeof connectAccount>[0]) => connectAccount(account),
    done: "Account connected",
    changes: [["accounts"]],
    isFailureShown: true,
  });
  return (
    <Form
      key={app.id}
      fields={[
        { name: "$name", label: "Name of the account", isRequired: true, value: app.name },
        ...fields,
      ]}
      submitLabel="Connect"
      onSubmit={async (values) => {
        const { id } = await connect.mutateAsync({
          app: app.name_slug,
          name: values["$name"] ?? app.name,
          credentials: credentialsOf(values, fields),
          ...(org === undefined ? {} : { org_id: org }),
        });
        await router.navigate({ to: "/settings/accounts/$id", params: { id } });
      }}
    />
  );
}

function ByOauth({ app }: { app: App }) {
  const org = useOrg();
  const start = useAction({
    run: () =>
      signInLink({
        app: app.name_slug,
        redirect_uri: `${location.origin}/console/settings/accounts`,
        ...(org === undefined ? {} : { org_id: org }),
      }),
    done: "The link works once, for ten minutes",
    onDone: ({ url }) => location.assign(url),
  });
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-kumo-subtle">
        You sign in at {app.name}, and come back here once the account is connected.
      </p>
      <Button
        variant="primary"
        icon={<SignInIcon />}
        loading={start.isPending}
        onClick={() => start.mutate()}
      >
        Sign in at {app.name}
      </Button>
    </div>
  );
}

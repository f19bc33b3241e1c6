import { Button } from "@cloudflare/kumo";
import { ArrowSquareOutIcon } from "@phosphor-icons/react";
import { useSearch } from "@tanstack/react-router";

import { createConnectToken } from "../../../api/connect.ts";
import { useAction } from "../../../components/action.ts";
import { AppPicker } from "../../../components/app-picker.tsx";
import { CodeSample } from "../../../components/code-sample.tsx";
import { CopyText } from "../../../components/copy.tsx";
import { Form } from "../../../components/form.tsx";
import { OutsideLink } from "../../../components/links.tsx";
import { Card, Facts, Section } from "../../../components/section.tsx";
import { Time } from "../../../components/time.tsx";
import { useScope } from "./scope.ts";

type Token = Awaited<ReturnType<typeof createConnectToken>>;

/** Creates a connect token, and opens the page on which an external user connects an account. */
export function TryItPage() {
  const scope = useScope();
  const create = useAction({
    run: (fields: { externalUserId: string; app: string }) => createConnectToken(scope, fields),
    done: "Connect token created",
    changes: [["connect", scope, "users"]],
    isFailureShown: true,
  });
  const { user: chosenUser, app: chosenApp } = useSearch({ from: "/shell/connect/$project/" });
  return (
    <div className="grid gap-x-8 xl:grid-cols-2">
      <Section
        title="Connect an account"
        description="Like a user of your product. Your server creates the token, the user's browser opens the link."
      >
        <Card>
          <Form
            fields={[
              {
                name: "user",
                label: "External user",
                description: "Your product's own id of the user.",
                isRequired: true,
                value: chosenUser ?? "customer-1",
              },
              {
                name: "app",
                label: "App",
                control: AppPicker,
                isRequired: true,
                value: chosenApp ?? "",
              },
            ]}
            submitLabel="Create a connect token"
            onSubmit={({ user = "", app = "" }) =>
              create.mutateAsync({ externalUserId: user, app })
            }
          />
        </Card>
        {create.data && <TokenView token={create.data} />}
      </Section>
      <Section title="The same from your server">
        <CodeSample label="Node" code={sampleOf(scope.project, scope.env)} />
      </Section>
    </div>
  );
}

function TokenView({ token: { token, connect_link_url, expires_at } }: { token: Token }) {
  return (
    <>
      <Facts
        facts={[
          ["Token", <CopyText key="token" value={token} what="token" />],
          ["Expires", <Time key="expires" at={Date.parse(expires_at)} />],
          ["Link", <OutsideLink key="link" url={connect_link_url} />],
        ]}
      />
      <div>
        <Button
          variant="primary"
          icon={<ArrowSquareOutIcon />}
          onClick={() => open(connect_link_url, "_blank", "noopener")}
        >
          Open the link
        </Button>
      </div>
    </>
  );
}

function sampleOf(project: string, environment: string): string {
  return `import { PipedreamClient } from "@pipedream/sdk";

const client = new PipedreamClient({
  baseUrl: ${JSON.stringify(location.origin)},
  clientId: process.env.CLIENT_ID, // Connect → OAuth clients
  clientSecret: process.env.CLIENT_SECRET,
  projectId: ${JSON.stringify(project)},
  projectEnvironment: ${JSON.stringify(environment)},
});

const { connectLinkUrl } = await client.tokens.create({
  externalUserId: "customer-1",
});
// Send the browser there, with &app= and the slug of an app.
`;
}

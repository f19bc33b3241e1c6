import { Banner, LayerDialog, Loader } from "@cloudflare/kumo";
import { useState } from "react";

import { FailureNotice } from "../failure-notice.tsx";
import { type Account, useAppDescription } from "./accounts.ts";
import { KeysForm } from "./keys-form.tsx";
import { SignInStep } from "./sign-in-step.tsx";

type ConnectProps = {
  app: string;
  /** The names of the credentials that the code reads. */
  credentials: string[];
  org: string | undefined;
  onConnected: (account: Account) => void;
};

/** Connects an account of an app: by a form, or by signing in at the app. */
export function ConnectDialog({
  isOpen,
  onOpenChange,
  ...connect
}: ConnectProps & { isOpen: boolean; onOpenChange: (isOpen: boolean) => void }) {
  return (
    <LayerDialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <LayerDialog.Content>
        <LayerDialog.Title>Connect an account of {connect.app}</LayerDialog.Title>
        <LayerDialog.Description>
          Components read its credentials as they run. They are stored encrypted, and shown to
          nobody.
        </LayerDialog.Description>
        <LayerDialog.Body>{isOpen && <ConnectSteps {...connect} />}</LayerDialog.Body>
      </LayerDialog.Content>
    </LayerDialog.Root>
  );
}

function ConnectSteps(connect: ConnectProps) {
  const { app, credentials } = connect;
  const [fillsIn, setFillsIn] = useState(false);
  const { data: described, error } = useAppDescription(app, credentials, true);
  if (error) return <FailureNotice error={error} />;
  if (!described) return <Loader aria-label={`Reading how ${app} is connected`} />;
  if (described.authType === "none")
    return (
      <Banner
        variant="secondary"
        title="This app takes no credentials"
        description="Its components run without an account."
      />
    );
  if (described.authType === "oauth" && !fillsIn)
    return <SignInStep {...connect} onFillIn={() => setFillsIn(true)} />;
  return <KeysForm {...connect} described={described.fields} />;
}

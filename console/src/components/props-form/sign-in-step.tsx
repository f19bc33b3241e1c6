import { Button, Loader } from "@cloudflare/kumo";
import { ArrowSquareOutIcon } from "@phosphor-icons/react";
import { useEffect, useState } from "react";

import { api } from "../../api/client.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { type Account, accountsOf } from "./accounts.ts";

const POLL_MS = 1500;

const WINDOW = "popup,width=560,height=720";

/** Opens the app's sign-in page in a new window, and waits for the connected account. */
export function SignInStep({
  app,
  org,
  onConnected,
  onFillIn,
}: {
  app: string;
  org: string | undefined;
  onConnected: (account: Account) => void;
  onFillIn: () => void;
}) {
  const { url, failure, isWaiting, begin } = useSignIn(app, org, onConnected);
  return (
    <div className="flex flex-col gap-4">
      <p>
        You sign in at {app} in a window of its own. Once you allowed the access there, the account
        is chosen here.
      </p>
      {failure !== undefined && <FailureNotice error={failure} />}
      {isWaiting && (
        <output className="flex items-center gap-2 text-kumo-subtle">
          <Loader size="sm" /> Waiting for you to sign in
        </output>
      )}
      {url !== undefined && (
        <p className="text-sm text-kumo-subtle">
          No window?{" "}
          <a href={url} target="_blank" rel="noreferrer" className="text-kumo-link underline">
            Open the page to sign in
          </a>
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onFillIn}>Fill in credentials instead</Button>
        <Button variant="primary" icon={<ArrowSquareOutIcon />} onClick={() => void begin()}>
          Sign in at {app}
        </Button>
      </div>
    </div>
  );
}

function useSignIn(app: string, org: string | undefined, onConnected: (account: Account) => void) {
  const [waiting, setWaiting] = useState<{ url: string; known: Set<string> }>();
  const [failure, setFailure] = useState<unknown>();
  const begin = async () => {
    setFailure(undefined);
    // Only a click may open a window, so it opens before its address is known.
    const opened = window.open("about:blank", "_blank", WINDOW);
    // The opened page must not navigate this one.
    if (opened) opened.opener = null;
    try {
      const known = await accountsOf(app, org, new AbortController().signal);
      const url = await signInLink(app, org);
      if (opened) opened.location.href = url;
      setWaiting({ url, known: new Set(known.map(stateOf)) });
    } catch (error) {
      opened?.close();
      setFailure(error);
    }
  };
  useEffect(() => {
    if (!waiting) return;
    const controller = new AbortController();
    const look = async () => {
      const accounts = await accountsOf(app, org, controller.signal).catch(() => []);
      const found = accounts.find((account) => !waiting.known.has(stateOf(account)));
      if (found && !controller.signal.aborted) onConnected(found);
    };
    const timer = setInterval(() => void look(), POLL_MS);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [app, org, waiting, onConnected]);
  return { url: waiting?.url, isWaiting: waiting !== undefined, failure, begin };
}

/** A reconnected account keeps its id, and changes. */
function stateOf({ id, updated_at: updatedAt }: Account): string {
  return `${id} ${updatedAt}`;
}

async function signInLink(app: string, org: string | undefined): Promise<string> {
  const body = { app, ...(org !== undefined && { org_id: org }) };
  const { data } = await api.post("/accounts/authorize", { body });
  return data.url;
}

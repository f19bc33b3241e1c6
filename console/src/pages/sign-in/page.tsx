import { Banner, Button, Input, LayerCard, Loader, Text } from "@cloudflare/kumo";
import { ClockIcon } from "@phosphor-icons/react";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";

import { errorMessage } from "../../api/messages.ts";
import { sessionQuery } from "../../api/queries.ts";
import { type Credentials, type Session, signIn } from "../../api/session.ts";

/** Exchanges an API key, an admin token or a link that works once for a session. */
export function SignInPage() {
  const { failure, isBusy, submit } = useSignIn();
  const { expired } = useSearch({ from: "/sign-in" });
  const [link] = useState(linkInUrl);
  useEffect(() => {
    document.title = "Sign in · Wellspring";
    if (link !== undefined) void submit([{ link }]);
  }, [submit, link]);
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="flex w-full max-w-md flex-col gap-4">
        {expired === true && failure === undefined && (
          <Banner
            variant="alert"
            icon={<ClockIcon weight="fill" />}
            title="Your session has ended"
            description="Sign in again to continue."
          />
        )}
        <LayerCard className="w-full p-6 sm:p-8">
          <img src="/console/icon.svg" alt="" width={40} height={40} className="mb-4" />
          <Text variant="heading" size="lg" as="h1">
            Sign in to Wellspring
          </Text>
          {isBusy && link !== undefined ? (
            <output className="mt-6 flex items-center gap-3 text-kumo-subtle">
              <Loader size="sm" /> Signing in with the link…
            </output>
          ) : (
            <SignInForm failure={failure} isBusy={isBusy} submit={submit} />
          )}
        </LayerCard>
        <p className="px-2 text-sm text-kumo-subtle">
          <code className="font-mono">npm start</code> prints a link that signs in once, and the key
          of the user <code className="font-mono">dev</code>. Elsewhere an operator gives you a link
          or a key. The key is exchanged for a session of 12 hours and not kept in the browser.
        </p>
      </div>
    </main>
  );
}

function SignInForm({
  failure,
  isBusy,
  submit,
}: {
  failure: string | undefined;
  isBusy: boolean;
  submit: (ways: Credentials[]) => Promise<void>;
}) {
  const [secret, setSecret] = useState("");
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const typed = secret.trim();
    void submit([{ api_key: typed }, { admin_token: typed }]);
  };
  return (
    <form onSubmit={onSubmit} className="mt-6 flex flex-col gap-4">
      <Input
        label="API key or admin token"
        type="password"
        name="api_key"
        autoComplete="current-password"
        required
        value={secret}
        onChange={(event) => setSecret(event.target.value)}
        {...(failure === undefined ? {} : { error: failure })}
      />
      <Button type="submit" variant="primary" loading={isBusy}>
        Sign in
      </Button>
    </form>
  );
}

/**
 * The secret of a link that works once. It is in the fragment, so that no server logs it, and is removed from the
 * history.
 */
function linkInUrl(): string | undefined {
  const link = new URLSearchParams(location.hash.slice(1)).get("link") ?? undefined;
  if (link !== undefined)
    history.replaceState(history.state, "", location.pathname + location.search);
  return link;
}

function useSignIn() {
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const client = useQueryClient();
  const router = useRouter();
  const { next } = useSearch({ from: "/sign-in" });
  const [submit] = useState(() => async (ways: Credentials[]) => {
    setBusy(true);
    setFailure(undefined);
    try {
      const session = await firstOf(ways);
      client.clear();
      client.setQueryData(sessionQuery.queryKey, session);
      router.history.push(isOwnPath(next) ? next : "/console/");
    } catch (error) {
      setFailure(errorMessage(error));
    } finally {
      setBusy(false);
    }
  });
  return { failure, isBusy, submit };
}

/** The session of the first accepted credentials. If all are refused, the error is that of the first. */
async function firstOf([way, ...others]: Credentials[]): Promise<Session> {
  if (!way) throw new Error("No credentials were given");
  try {
    return await signIn(way);
  } catch (error) {
    if (others.length === 0) throw error;
    return firstOf(others).catch(() => {
      throw error;
    });
  }
}

/** Whether a redirect is allowed: only to a path of this origin, also with the browsers' handling of backslashes. */
function isOwnPath(path: string | undefined): path is string {
  return (
    path !== undefined &&
    path.startsWith("/") &&
    URL.canParse(path, location.origin) &&
    new URL(path, location.origin).origin === location.origin
  );
}

import { Button, Input, LayerCard, Text } from "@cloudflare/kumo";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";

import { errorMessage } from "../../api/messages.ts";
import { sessionQuery } from "../../api/queries.ts";
import { type Credentials, type Session, signIn } from "../../api/session.ts";

/** Exchanges an API key, an admin token or a link that works once for a session. */
export function SignInPage() {
  const [secret, setSecret] = useState("");
  const { failure, isBusy, submit } = useSignIn();
  useEffect(() => {
    document.title = "Sign in · Wellspring";
    const link = linkInUrl();
    if (link !== undefined) void submit([{ link }]);
  }, [submit]);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const typed = secret.trim();
    void submit([{ api_key: typed }, { admin_token: typed }]);
  };
  return (
    <main className="grid min-h-screen place-items-center p-4">
      <LayerCard className="w-full max-w-md p-8">
        <Text variant="heading" size="lg" as="h1">
          Sign in to Wellspring
        </Text>
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
        <p className="mt-6 text-sm text-kumo-subtle">
          <code>npm start</code> prints a link that signs in once, and the key of the user{" "}
          <code>dev</code>.
        </p>
      </LayerCard>
    </main>
  );
}

/** The secret of a link that works once. It stands behind `#`, so that no server's log has it, and leaves the history. */
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
      router.history.push(
        next !== undefined && next.startsWith("/") && !next.startsWith("//") ? next : "/console/",
      );
    } catch (error) {
      setFailure(errorMessage(error));
    } finally {
      setBusy(false);
    }
  });
  return { failure, isBusy, submit };
}

/** The session of the first way that is accepted. What all refuse is refused in the words of the first. */
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

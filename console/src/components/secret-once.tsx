import { Banner, ClipboardText } from "@cloudflare/kumo";
import type { ReactNode } from "react";

/** A secret that is shown only once. */
export function SecretOnce({ secret, what }: { secret: string; what: string }) {
  return (
    <div className="flex flex-col gap-2">
      <Banner variant="alert" size="sm" title={`Copy the ${what} now: it is not shown again.`} />
      <ClipboardText
        text={secret}
        labels={{ copyAction: `Copy the ${what}` }}
        className="font-mono"
      />
    </div>
  );
}

/** Shows a new secret in place of its form. */
export function shownOnce(secret: string | null, what: string): ReactNode {
  return <SecretOnce secret={secret ?? ""} what={what} />;
}

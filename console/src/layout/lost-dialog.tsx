import { Banner, Button } from "@cloudflare/kumo";
import { WarningIcon } from "@phosphor-icons/react";
import { useIsFetching } from "@tanstack/react-query";
import { useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { useUnknownDialog } from "../components/known-dialogs.ts";
import { closeDialog } from "../components/opening.ts";

/** Time after which a dialog is missing: its row shows shortly after its data was read. */
const GRACE_MS = 500;

/** Shown if the URL names a dialog of a row that does not exist, with the way back to the page. */
export function LostDialog() {
  const router = useRouter();
  const name = useUnknownDialog();
  const isReading = useIsFetching() > 0;
  const isLoading = useRouterState({ select: ({ status }) => status === "pending" });
  const [lost, setLost] = useState<string>();
  const candidate = isReading || isLoading ? undefined : name;
  useEffect(() => {
    if (candidate === undefined) return undefined;
    const timer = setTimeout(() => setLost(candidate), GRACE_MS);
    return () => clearTimeout(timer);
  }, [candidate]);
  if (name === undefined || name !== lost) return null;
  return (
    <div role="alert" className="mb-4">
      <Banner
        variant="alert"
        size="sm"
        icon={<WarningIcon weight="fill" />}
        title="The address names something that does not exist"
        description={
          <p className="break-all">
            It was deleted, belongs to another owner, or the address is mistyped: #{name}
          </p>
        }
        action={
          <Button size="sm" onClick={() => closeDialog(router)}>
            Back to the page
          </Button>
        }
      />
    </div>
  );
}

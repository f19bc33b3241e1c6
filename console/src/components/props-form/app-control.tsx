import { Button, Select } from "@cloudflare/kumo";
import { ArrowsClockwiseIcon, PlugsIcon } from "@phosphor-icons/react";
import { useQueryClient } from "@tanstack/react-query";

import { errorMessage } from "../../api/messages.ts";
import { dialogOf, useOpening } from "../opening.ts";
import { type Account, useAccountsOf } from "./accounts.ts";
import { ConnectDialog } from "./connect-dialog.tsx";
import { type ControlProps, usePropsFormState } from "./control.ts";
import { isObject } from "./spec.ts";

/** An account of the prop's app: an existing one, or one that is connected in place. */
export function AppControl({ spec, value, onChange, texts }: ControlProps) {
  const { org } = usePropsFormState();
  const client = useQueryClient();
  const { isOpen: isConnecting, setOpen: setConnecting } = useOpening(
    dialogOf("connect", spec.name),
  );
  const app = spec.app ?? "";
  const { data: accounts, error, isFetching, refetch } = useAccountsOf(app, org);
  const chosen = accountIn(value);
  const choose = (id: string | null) => onChange(id === null ? undefined : { authProvisionId: id });
  const connected = (account: Account) => {
    setConnecting(false);
    choose(account.id);
    void client.invalidateQueries({ queryKey: ["accounts"] });
  };
  return (
    <div className="flex flex-col gap-2">
      <Select<string>
        {...texts}
        className="w-full"
        placeholder={placeholderOf(app, accounts)}
        disabled={spec.isDisabled}
        loading={accounts === undefined && error === null}
        value={chosen}
        onValueChange={choose}
        items={itemsOf(accounts ?? [], chosen)}
      />
      <div className="flex flex-wrap gap-2">
        <Button size="sm" icon={<PlugsIcon />} onClick={() => setConnecting(true)}>
          Connect an account of {app}
        </Button>
        <Button
          size="sm"
          variant="ghost"
          shape="square"
          icon={<ArrowsClockwiseIcon />}
          aria-label="Read the accounts again"
          loading={isFetching}
          onClick={() => void refetch()}
        />
        {chosen !== null && spec.isOptional && (
          <Button size="sm" variant="ghost" onClick={() => choose(null)}>
            Without an account
          </Button>
        )}
      </div>
      {error && <p className="text-sm text-kumo-danger">{errorMessage(error)}</p>}
      <ConnectDialog
        app={app}
        credentials={spec.credentials}
        org={org}
        isOpen={isConnecting}
        onOpenChange={setConnecting}
        onConnected={connected}
      />
    </div>
  );
}

function accountIn(value: unknown): string | null {
  const id = isObject(value) ? value["authProvisionId"] : undefined;
  return typeof id === "string" ? id : null;
}

function placeholderOf(app: string, accounts: Account[] | undefined): string {
  return accounts?.length === 0 ? `No account of ${app} yet` : `Choose an account of ${app}`;
}

/** The accounts by their names; an unlisted one by its id. */
function itemsOf(accounts: Account[], chosen: string | null): Record<string, string> {
  const listed = Object.fromEntries(accounts.map((account) => [account.id, nameOf(account)]));
  return chosen === null || chosen in listed ? listed : { ...listed, [chosen]: chosen };
}

function nameOf({ name, external_id: externalId, dead, healthy }: Account): string {
  const who = externalId === null || externalId === name ? name : `${name} (${externalId})`;
  if (dead) return `${who} — must be connected again`;
  return healthy ? who : `${who} — its token could not be refreshed`;
}

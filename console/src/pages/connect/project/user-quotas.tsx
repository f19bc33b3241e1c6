import { GaugeIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";

import {
  type AgentQuotaChange,
  setUserQuotas,
  userQuotasKey,
  userQuotasQuery,
} from "../../../api/agent-quotas.ts";
import type { Scope } from "../../../api/connect.ts";
import { useAction } from "../../../components/action.ts";
import {
  agentQuotaFields,
  agentQuotasKey,
  agentQuotasOf,
} from "../../../components/agent-quotas.tsx";
import { FormDialog } from "../../../components/form.tsx";
import { dialogOf, useOpening } from "../../../components/opening.ts";
import { RowButton } from "../../../components/row-action.tsx";

const GAUGE = <GaugeIcon />;

/** A button that opens the quotas of an external user's agents. */
export function UserQuotas({ user, scope }: { user: string; scope: Scope }) {
  const name = dialogOf("quotas", user);
  const { isOpen } = useOpening(name);
  const { data: quotas } = useQuery({ ...userQuotasQuery(scope, user), enabled: isOpen });
  const save = useAction({
    run: (change: AgentQuotaChange) => setUserQuotas(scope, user, change),
    done: "Quotas saved",
    changes: [userQuotasKey(scope, user)],
    isFailureShown: true,
  });
  return (
    <FormDialog
      // A form takes its values when it opens.
      key={agentQuotasKey(quotas)}
      name={name}
      trigger={<RowButton label={`Quotas of ${user}`} icon={GAUGE} />}
      title={`Quotas of ${user}`}
      description="Of the user's agents. Without a number, the default; 0 is none. The quotas of the project hold, too."
      fields={quotas === undefined ? [] : agentQuotaFields(quotas)}
      submitLabel="Save quotas"
      onSubmit={async (values) => {
        await save.mutateAsync(agentQuotasOf(values));
      }}
    />
  );
}

import { useQuery } from "@tanstack/react-query";

import {
  type AgentQuotaChange,
  anyProjectQuotasQuery,
  setProjectQuotas,
} from "../../api/agent-quotas.ts";
import { useAction } from "../../components/action.ts";
import { agentQuotaFields, agentQuotasKey, agentQuotasOf } from "../../components/agent-quotas.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Form } from "../../components/form.tsx";
import { Card, Section } from "../../components/section.tsx";

/** The quotas of the agents of a project, which operators set. */
export function ProjectQuotas({ id }: { id: string }) {
  const query = anyProjectQuotasQuery(id);
  const { data: quotas, error, refetch } = useQuery(query);
  const save = useAction({
    run: (change: AgentQuotaChange) => setProjectQuotas(id, change),
    done: "Quotas saved",
    changes: [query.queryKey],
    isFailureShown: true,
  });
  return (
    <Section
      title="Quotas of the project"
      description="Of all its external users together. Without a number, the default; 0 is none."
    >
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {quotas && (
        <Card>
          <Form
            key={agentQuotasKey(quotas)}
            fields={agentQuotaFields(quotas)}
            submitLabel="Save quotas"
            onSubmit={(values) => save.mutateAsync(agentQuotasOf(values))}
          />
        </Card>
      )}
    </Section>
  );
}

import { ArrowClockwiseIcon } from "@phosphor-icons/react";

import { retryAsOperator } from "../../api/operations.ts";
import { useAction } from "../../components/action.ts";
import { RowButton } from "../../components/row-action.tsx";

/** Sends a delivery of a user's webhook again. */
export function RetryDelivery({
  webhookId,
  deliveryId,
}: {
  webhookId: string;
  deliveryId: string;
}) {
  const retry = useAction({
    run: () => retryAsOperator(webhookId, deliveryId),
    done: "The delivery is sent again",
    changes: [["admin", "webhooks"]],
  });
  return (
    <RowButton
      label={`Send ${deliveryId} again`}
      icon={<ArrowClockwiseIcon />}
      loading={retry.isPending}
      onClick={() => retry.mutate()}
    />
  );
}

import { type Owner, type Quotas, setQuotas } from "../../api/admin.ts";
import { useAction } from "../../components/action.ts";
import { Form } from "../../components/form.tsx";
import { isLimit } from "../../components/quota.tsx";

const NAMES = [
  ["daily_invocations_quota", "Invocations a day"],
  ["daily_compute_time_quota", "Milliseconds of compute a day"],
  ["daily_credits_quota", "Credits a day"],
  ["storage_quota", "Bytes of storage"],
] as const;

/** The form for the quotas of a user or a workspace. */
export function QuotaForm({ owner, quotas }: { owner: Owner; quotas: Quotas }) {
  const save = useAction({
    run: (changed: Quotas) => setQuotas(owner, changed),
    done: "Quotas saved",
    changes: [["admin", owner.kind]],
    isFailureShown: true,
  });
  return (
    <Form
      fields={NAMES.map(([name, label]) => ({
        name,
        label,
        kind: "number",
        isRequired: true,
        value: isLimit(quotas[name]) ? String(quotas[name]) : "0",
      }))}
      submitLabel="Save quotas"
      onSubmit={(values) =>
        save.mutateAsync({
          daily_invocations_quota: Number(values["daily_invocations_quota"]),
          daily_compute_time_quota: Number(values["daily_compute_time_quota"]),
          daily_credits_quota: Number(values["daily_credits_quota"]),
          storage_quota: Number(values["storage_quota"]),
        })
      }
    />
  );
}

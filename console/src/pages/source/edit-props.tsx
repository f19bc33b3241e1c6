import { Button } from "@cloudflare/kumo";
import type { FormEvent } from "react";

import { type Source, sourceKeys, updateSource } from "../../api/sources.ts";
import { useAction } from "../../components/action.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { PropsForm } from "../../components/props-form/props-form.tsx";
import type { ConfigurableProp } from "../../components/props-form/spec.ts";
import { usePropsForm } from "../../components/props-form/use-props-form.ts";
import { useOrg } from "../../layout/org.ts";

/** The form over the props of a source. A paused source stays paused. */
export function EditProps({
  source,
  declared,
  onEnd,
}: {
  source: Source;
  declared: readonly ConfigurableProp[];
  onEnd: () => void;
}) {
  const form = usePropsForm({
    component: source.component_id,
    declared,
    configured: source.configured_props,
    org: useOrg(),
  });
  const save = useAction({
    run: () => updateSource(source, { configured_props: form.submitted() }),
    done: "The configuration was saved",
    changes: [sourceKeys.all],
    isFailureShown: true,
    onDone: onEnd,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (form.check()) save.mutate(undefined, { onError: (failure) => form.refuse(failure) });
  };
  return (
    // The form shows its own errors, at each field.
    <form noValidate onSubmit={submit} className="flex max-w-3xl flex-col gap-6">
      <PropsForm form={form} />
      {save.error && <FailureNotice error={save.error} />}
      <div className="flex gap-2">
        <Button
          type="submit"
          variant="primary"
          loading={save.isPending}
          disabled={save.isPending || form.isReloading}
        >
          Save
        </Button>
        <Button onClick={onEnd}>Cancel</Button>
      </div>
    </form>
  );
}

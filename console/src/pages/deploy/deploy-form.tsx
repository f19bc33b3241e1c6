import { Button, Input } from "@cloudflare/kumo";
import { RocketLaunchIcon } from "@phosphor-icons/react";
import { useRouter } from "@tanstack/react-router";
import { WellspringError } from "@wellspring/client";
import { type FormEvent, useRef, useState } from "react";

import { api } from "../../api/client.ts";
import { useAction } from "../../components/action.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { PropsForm } from "../../components/props-form/props-form.tsx";
import { type ConfigurableProp, isObject } from "../../components/props-form/spec.ts";
import { usePropsForm } from "../../components/props-form/use-props-form.ts";
import { ShardsField, shardsIn, takesRequests } from "../../components/shards-field.tsx";

/** The form of a new source: its name and its props. */
export function DeployForm({
  component,
  source,
  declared,
  org,
}: {
  /** The component's id or key, for requests of options and props. */
  component: string;
  source: { component_id: string } | { key: string };
  declared: readonly ConfigurableProp[];
  org: string | undefined;
}) {
  const router = useRouter();
  const element = useRef<HTMLFormElement>(null);
  const [name, setName] = useState("");
  const [typedShards, setShards] = useState("");
  const form = usePropsForm({ component, declared, org });
  const deploy = useAction({
    run: async () => {
      const shards = takesRequests(declared) ? shardsIn(typedShards) : undefined;
      const body = {
        ...source,
        configured_props: form.submitted(),
        ...(name.trim() !== "" && { name: name.trim() }),
        ...(shards !== undefined && { shards }),
        ...(org !== undefined && { org_id: org }),
      };
      return (await api.post("/sources", { body })).data;
    },
    done: (deployed: { name: string; id: string }) => `“${deployed.name}” is deployed`,
    changes: [["sources"], ["overview"]],
    isFailureShown: true,
    onDone: ({ id }) => void router.navigate({ to: `/sources/${id}` }),
  });
  const { error, isPending } = deploy;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!form.check()) return focusProblem(element.current);
    deploy.mutate(undefined, { onError: (failure) => form.refuse(failure) });
  };
  return (
    // The form shows its own errors, at each field.
    <form ref={element} noValidate onSubmit={submit} className="flex flex-col gap-6">
      <PropsForm form={form} />
      <Input
        label="Name of the source"
        description="Default: the name of its component."
        maxLength={256}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {takesRequests(declared) && (
        <ShardsField value={typedShards} onChange={setShards} error={error} />
      )}
      {error && (
        <>
          <FailureNotice error={error} />
          <HookFailure error={error} />
        </>
      )}
      <Button
        type="submit"
        variant="primary"
        icon={<RocketLaunchIcon />}
        loading={isPending}
        disabled={isPending || form.isReloading}
        className="self-start"
      >
        Deploy
      </Button>
    </form>
  );
}

/** The stack of a hook that failed during the deployment. */
function HookFailure({ error }: { error: Error }) {
  const failure = error instanceof WellspringError ? error.details?.["error"] : undefined;
  const stack = isObject(failure) ? failure["stack"] : undefined;
  if (typeof stack !== "string" || stack === "") return null;
  return (
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it.
      tabIndex={0}
      aria-label="Stack of the hook"
      className="max-h-72 overflow-auto rounded-md bg-kumo-recessed p-3 text-xs leading-5"
    >
      {stack}
    </pre>
  );
}

/** Focuses the first invalid field once its error is shown. */
function focusProblem(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => {
    const field = form?.querySelector<HTMLElement>(
      "[data-prop] [aria-invalid=true], [data-prop]:has([role=alert]) :is(input, textarea, button)",
    );
    field?.focus();
  });
}

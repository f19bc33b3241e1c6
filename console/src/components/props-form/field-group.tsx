import type { ReactNode } from "react";

import type { ControlTexts } from "./control.ts";

/** Several controls of one value: a group with a name, a description and an error. */
export function FieldGroup({
  label,
  description,
  error,
  required,
  children,
}: ControlTexts & { children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-2 text-base font-medium text-kumo-default">
        {label}
        {!required && <span className="ml-1 font-normal text-kumo-subtle">(optional)</span>}
      </legend>
      {children}
      {error !== undefined && (
        <p role="alert" className="text-sm text-kumo-danger">
          {error}
        </p>
      )}
      {error === undefined && description !== undefined && (
        <p className="text-sm text-kumo-subtle">{description}</p>
      )}
    </fieldset>
  );
}

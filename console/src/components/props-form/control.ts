import type { ReactNode } from "react";
import { createContext, useContext } from "react";

import type { PropSpec } from "./spec.ts";
import type { PropsFormState } from "./use-props-form.ts";

/** The properties of a prop's field. */
export type ControlProps = {
  spec: PropSpec;
  value: unknown;
  onChange: (value: unknown) => void;
  /** Label, description and error as props of the component library. */
  texts: ControlTexts;
};

/** The frame of a control. */
export type ControlTexts = {
  label: ReactNode;
  description?: ReactNode;
  error?: string;
  required: boolean;
};

const FormContext = createContext<PropsFormState | undefined>(undefined);

export const PropsFormProvider = FormContext.Provider;

/** The form around a control. */
export function usePropsFormState(): PropsFormState {
  const form = useContext(FormContext);
  if (!form) throw new Error("A control of a prop must be inside a PropsForm");
  return form;
}

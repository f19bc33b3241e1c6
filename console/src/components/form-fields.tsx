import { Input, InputArea, Select, SensitiveInput, Switch } from "@cloudflare/kumo";
import { type ComponentType, type FormEvent, type ReactNode, useState } from "react";

/** The values of fields by name. An active switch is `true`. */
export type Values = Record<string, string>;

export type FormField = {
  name: string;
  label: string;
  /** `text` by default. */
  kind?:
    | "text"
    | "url"
    | "email"
    | "number"
    | "datetime-local"
    | "secret"
    | "area"
    | "switch"
    | "select";
  /** Replaces the control of `kind`. */
  control?: ComponentType<ControlProps>;
  /** For a `select`: labels by value. */
  options?: Record<string, string>;
  description?: ReactNode;
  placeholder?: string;
  isRequired?: boolean;
  value?: string;
};

/** The values of a form, its submit function, and the last error. */
export function useForm<Output>(
  fields: FormField[],
  onSubmit: (values: Values) => Promise<Output>,
  onDone?: (output: Output) => void,
) {
  const [values, setValues] = useState<Values>(() => initialValues(fields));
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const set = (name: string, value: string) =>
    setValues((previous) => ({ ...previous, [name]: value }));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    try {
      const output = await onSubmit(values);
      onDone?.(output);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return { values, set, failure, isBusy, submit };
}

function initialValues(fields: FormField[]): Values {
  return Object.fromEntries(fields.map(({ name, value }) => [name, value ?? ""]));
}

/** The fields of a form, below each other. */
export function FormFields({
  fields,
  values,
  set,
}: {
  fields: FormField[];
  values: Values;
  set: (name: string, value: string) => void;
}) {
  return fields.map((field) => (
    <Control
      key={field.name}
      field={field}
      value={values[field.name] ?? ""}
      onChange={(value) => set(field.name, value)}
    />
  ));
}

/** The properties of a field's control. */
export type ControlProps = { field: FormField; value: string; onChange: (value: string) => void };

const CONTROLS: Partial<Record<string, typeof TextControl>> = {
  switch: SwitchControl,
  select: SelectControl,
  area: AreaControl,
  secret: SecretControl,
};

function Control(props: ControlProps) {
  const { kind = "text", control } = props.field;
  const Kind = control ?? CONTROLS[kind] ?? TextControl;
  return <Kind {...props} />;
}

/** The attributes of a control from its field. */
function commonOf({ name, label, description, isRequired = false }: FormField) {
  return {
    name,
    label,
    required: isRequired,
    ...(description === undefined ? {} : { description }),
  };
}

function TextControl({ field, value, onChange }: ControlProps) {
  return (
    <Input
      {...commonOf(field)}
      type={field.kind ?? "text"}
      autoComplete="off"
      placeholder={field.placeholder}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function SecretControl({ field, value, onChange }: ControlProps) {
  return (
    <SensitiveInput
      {...commonOf(field)}
      autoComplete="off"
      value={value}
      onValueChange={onChange}
    />
  );
}

function AreaControl({ field, value, onChange }: ControlProps) {
  return (
    <InputArea
      {...commonOf(field)}
      placeholder={field.placeholder}
      autoResize
      minRows={3}
      maxRows={20}
      className="font-mono"
      value={value}
      onValueChange={onChange}
    />
  );
}

function SelectControl({ field, value, onChange }: ControlProps) {
  const { options = {} } = field;
  return (
    <Select
      {...commonOf(field)}
      className="w-full"
      items={options}
      value={value}
      onValueChange={(chosen) => onChange(chosen ?? "")}
    />
  );
}

function SwitchControl({ field, value, onChange }: ControlProps) {
  const { label, description } = field;
  return (
    <div className="flex flex-col gap-1">
      <Switch
        label={label}
        checked={value === "true"}
        onCheckedChange={(isOn) => onChange(isOn ? "true" : "")}
      />
      {description !== undefined && <p className="text-sm text-kumo-subtle">{description}</p>}
    </div>
  );
}

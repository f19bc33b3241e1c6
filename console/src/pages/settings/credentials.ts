import type { App } from "../../api/connect.ts";
import type { FormField, Values } from "../../components/form-fields.tsx";

type AppField = {
  name: string;
  type?: string;
  label?: string;
  description?: string;
  placeholder?: string;
  default?: string;
  optional?: boolean;
};

/** The form fields of an app's credentials. */
export function credentialFields({ custom_fields_json }: App): FormField[] {
  return appFields(custom_fields_json).map((field) => {
    const { name, type, label, description, placeholder, optional = false } = field;
    return {
      name,
      label: label || name,
      kind: type === "password" ? "secret" : "text",
      isRequired: !optional,
      value: field.default ?? "",
      ...(description ? { description } : {}),
      ...(placeholder ? { placeholder } : {}),
    };
  });
}

/** The typed credentials, without empty ones. */
export function credentialsOf(values: Values, fields: FormField[]): Values {
  const names = new Set(fields.map(({ name }) => name));
  const typed = Object.entries(values).filter(([name, value]) => names.has(name) && value !== "");
  return Object.fromEntries(typed);
}

function appFields(json: string): AppField[] {
  try {
    const fields: unknown = JSON.parse(json);
    return Array.isArray(fields) ? fields.filter((field) => isAppField(field)) : [];
  } catch {
    return [];
  }
}

function isAppField(field: unknown): field is AppField {
  return (
    typeof field === "object" && field !== null && "name" in field && typeof field.name === "string"
  );
}

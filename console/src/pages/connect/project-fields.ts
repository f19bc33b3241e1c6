import type { Project, ProjectFields } from "../../api/connect.ts";
import type { FormField, Values } from "../../components/form-fields.tsx";

/** The fields of a project, empty or with their current values. */
export function projectFields({
  name = "",
  app_name = "",
  support_email = "",
  connect_require_key_auth_test: isTested = false,
}: Partial<Project> = {}): FormField[] {
  return [
    { name: "name", label: "Name", isRequired: true, value: name },
    {
      name: "app_name",
      label: "Name of your product",
      description: "Shown to users on the page where they connect an account.",
      value: app_name,
    },
    {
      name: "support_email",
      label: "Support e-mail",
      kind: "email",
      description: "Where users find help when connecting fails.",
      value: support_email,
    },
    {
      name: "connect_require_key_auth_test",
      label: "Test keys before an account is connected",
      kind: "switch",
      value: isTested ? "true" : "",
    },
  ];
}

/** The typed values of a project. */
export function projectOf(values: Values): ProjectFields {
  const { name = "", app_name, support_email, connect_require_key_auth_test } = values;
  return {
    name,
    app_name: app_name || null,
    support_email: support_email || null,
    connect_require_key_auth_test: connect_require_key_auth_test === "true",
  };
}

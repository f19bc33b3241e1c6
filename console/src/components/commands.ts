type Method = "GET" | "POST" | "PUT";

type Call = [method: Method, path: string, body?: unknown];

/** A call of the API for a terminal. `$KEY` has an API key. */
export function apiCommand(...call: Call): string {
  return commandOf("$KEY", call);
}

/** The same for one environment of a project of Connect. */
export function connectCommand(
  { project, env }: { project: string; env: string },
  [method, path, body]: Call,
): string {
  const call: Call = [method, `/connect/${project}${path}`, body];
  return commandOf("$KEY", call, `-H "x-pd-environment: ${env}"`);
}

/** The same for operators: `$ADMIN_TOKEN` has the admin token. */
export function adminCommand(...call: Call): string {
  return commandOf("$ADMIN_TOKEN", call);
}

/** Describes an app, for operators. */
export function appCommand(): string {
  return adminCommand("PUT", "/apps/shop", {
    name: "Shop",
    auth_type: "keys",
    fields: [{ name: "region", secret: false }, { name: "api_key" }],
  });
}

/** Creates a workspace, for operators. */
export function workspaceCommand(): string {
  return adminCommand("POST", "/workspaces", {
    orgname: "acme",
    name: "Acme",
    email: "ops@example.com",
  });
}

function commandOf(secret: "$ADMIN_TOKEN" | "$KEY", [method, path, body]: Call, more?: string) {
  const url = `${location.origin}${secret === "$KEY" ? "/v1" : "/admin"}${path}`;
  return [
    "curl",
    ...(method === "GET" ? [] : [`-X ${method}`]),
    /[^\w:/.…-]/.test(url) ? quoted(url) : url,
    `-H "Authorization: Bearer ${secret}"`,
    ...(more === undefined ? [] : [more]),
    ...(body === undefined ? [] : [`--json ${quoted(JSON.stringify(body))}`]),
  ].join(" ");
}

/** A text as a shell takes it whole. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

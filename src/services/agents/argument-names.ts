import { invalidInput, type Issue, RequestError } from "#domain/errors.ts";

/** The field in which a caller gives the props of a component; "": each prop is a field of the call itself. */
export type ArgumentsField = "" | "args" | "arguments";

/** The name of all arguments together where each is a field of the call itself (MCP: tools/call). */
const ALL = "arguments";

/** The path of the id of an account in the value of an app prop. */
const ACCOUNT_ID = ".authProvisionId";

const CONFIGURED = /^configured_props(?=\.|$)\.?/;

/**
 * Run work whose errors name props by their paths in `configured_props`, and name them by the fields that the agent sent
 * instead.
 */
export async function namingArguments<T>(
  field: ArgumentsField,
  work: () => Promise<T> | T,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== "invalid_input") throw error;
    const issues = error.details?.["issues"];
    if (!Array.isArray(issues)) throw error;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `invalidInput` alone makes such details.
    throw renamed(field, issues as Issue[]);
  }
}

function renamed(field: ArgumentsField, issues: readonly Issue[]): RequestError {
  return invalidInput(
    issues.map(({ path, message }) => ({ path: sentPath(field, path), message })),
  );
}

/** Agents give an account by its id alone, so the path ends at the prop. */
function sentPath(field: ArgumentsField, path: string): string {
  if (path === "prop_name") return "prop";
  if (!CONFIGURED.test(path)) return path;
  const prop = path.replace(CONFIGURED, "").replace(ACCOUNT_ID, "");
  if (prop === "") return field || ALL;
  return field === "" ? prop : `${field}.${prop}`;
}

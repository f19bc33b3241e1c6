import { ApiError, type ApiResult } from "./api.ts";

/** Create a resource with an id and a unique name. */
export function created(
  body: Buffer,
  known: Map<string, string>,
  nameField: string,
  idField: string,
): ApiResult {
  const { [nameField]: name } = fieldsIn(body);
  if (typeof name !== "string" || name === "")
    throw new ApiError(400, 7400, `${nameField} is required`);
  if (known.has(name)) throw new ApiError(409, 7502, `${name} already exists`);
  const id = crypto.randomUUID();
  known.set(name, id);
  return { result: { [nameField]: name, [idField]: id } };
}

/** Create a resource with a name alone. */
export function added(body: Buffer, known: Set<string>): ApiResult {
  const { name } = fieldsIn(body);
  if (typeof name !== "string") throw new ApiError(400, 10_005, "name is required");
  if (known.has(name)) throw new ApiError(409, 10_004, `${name} already exists`);
  known.add(name);
  return { result: { name } };
}

/** The JSON body of a call. */
export function fieldsIn(body: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    throw new ApiError(400, 10_001, "The body is not JSON");
  }
}

import { ApiError, type ApiResult } from "./api.ts";

/** Create something that has an id and a name that is its own. */
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

/** Create something that is known by its name alone. */
export function added(body: Buffer, known: Set<string>): ApiResult {
  const { name } = fieldsIn(body);
  if (typeof name !== "string") throw new ApiError(400, 10_005, "name is required");
  if (known.has(name)) throw new ApiError(409, 10_004, `${name} already exists`);
  known.add(name);
  return { result: { name } };
}

/** The JSON that a call was sent with. */
export function fieldsIn(body: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    throw new ApiError(400, 10_001, "The body is no JSON");
  }
}

import { type ApiAnswer, refusal } from "./server.ts";

export async function created(
  request: Request,
  known: Map<string, string>,
  nameField: string,
  idField: string,
): Promise<ApiAnswer> {
  const name = (await fields<Record<string, string>>(request))[nameField] ?? "";
  if (name === "") return refusal(400, 7400, `${nameField} is required`);
  if (known.has(name)) return refusal(409, 7502, `${name} already exists`);
  const id = crypto.randomUUID();
  known.set(name, id);
  return { result: { [nameField]: name, [idField]: id } };
}

export async function added(request: Request, known: Set<string>): Promise<ApiAnswer> {
  const { name } = await fields<{ name: string }>(request);
  if (known.has(name)) return refusal(409, 10_004, `${name} already exists`);
  known.add(name);
  return { result: { name } };
}

export async function fields<T>(request: Request): Promise<T> {
  return (await request.json()) as T;
}

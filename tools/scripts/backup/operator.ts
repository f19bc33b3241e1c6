import { Refusal } from "../local/refusal.ts";

/** The calls that save or restore the parts of a platform that only the platform can access. */
export type Operator = {
  readonly origin: string;
  /** Sign a digest with the master key. */
  seal(digest: string): Promise<string>;
  /** Reject a digest that the master key did not sign. */
  check(digest: string, seal: string): Promise<void>;
  objects(kind: Kind, after: number): Promise<{ objects: KeptObject[]; next: number | null }>;
  records(store: string, after: string): Promise<{ objects: KeptObject[]; next: string | null }>;
  restore(kind: RestoredKind, objects: KeptObject[]): Promise<Revived>;
  names(folder: Folder, after: string): Promise<{ names: string[]; next: string | null }>;
  read(name: string): Promise<Uint8Array>;
  write(name: string, content: Uint8Array): Promise<void>;
  /** Pending imports with uploaded archives. */
  imports(after: string): Promise<{ ids: string[]; next: string | null }>;
  /** The archive of an import; undefined once the import has ended. */
  archive(id: string): Promise<Uint8Array | undefined>;
  putArchive(id: string, content: Uint8Array): Promise<void>;
};

/** The kinds of objects in a backup. */
export const KINDS = ["sources", "workflows", "webhooks", "data_stores"] as const;
type Kind = (typeof KINDS)[number];

/** The restored parts, in this order. */
export const RESTORED_KINDS = [...KINDS, "records"] as const;
export type RestoredKind = (typeof RESTORED_KINDS)[number];

export const FOLDERS = ["bundles", "code", "dependencies"] as const;
type Folder = (typeof FOLDERS)[number];

export type KeptObject = { id: string; sealed: string };
type Revived = {
  restored: number;
  present: number;
  failed: { id: string; reason: string }[];
};

/** A hook of a source may take a minute, and each request wakes some of them. */
const TIMEOUT_MS = 15 * 60_000;

/** Call a running platform as its operator. */
export function openOperator(origin: string, token: string, reach: typeof fetch = fetch): Operator {
  const send = (method: string, path: string, body?: object | Uint8Array<ArrayBuffer>) =>
    reach(`${origin}/admin/backup${path}`, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { authorization: `Bearer ${token}` },
      ...(body && { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
    });
  const checked = async (path: string, response: Response) => {
    if (response.ok) return response;
    throw new Refusal(
      failureOf(`${origin}/admin/backup${path}`, response.status, await response.text()),
    );
  };
  const request = async (...[method, path, body]: Parameters<typeof send>) =>
    checked(path, await send(method, path, body));
  const data = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer: { data: T } = JSON.parse(await (await request(method, path, body)).text());
    return answer.data;
  };
  return {
    origin,
    seal: async (digest) => (await data<{ seal: string }>("POST", "/seal", { digest })).seal,
    check: async (digest, seal) => void (await request("POST", "/check", { digest, seal })),
    objects: (kind, after) => data("GET", `/objects/${kind}?after=${after}`),
    records: (store, after) => data("GET", `/records/${store}?after=${encodeURIComponent(after)}`),
    restore: (kind, objects) => data("PUT", `/objects/${kind}`, { objects }),
    names: (folder, after) => data("GET", `/files/${folder}?after=${after}`),
    read: async (name) =>
      new Uint8Array(await (await request("GET", `/files/${name}`)).arrayBuffer()),
    write: async (name, content) =>
      void (await request("PUT", `/files/${name}`, new Uint8Array(content))),
    imports: (after) => data("GET", `/imports?after=${after}`),
    archive: async (id) => {
      const path = `/imports/${id}`;
      const response = await send("GET", path);
      if (response.status === 404) return undefined;
      return new Uint8Array(await (await checked(path, response)).arrayBuffer());
    },
    putArchive: async (id, content) =>
      void (await request("PUT", `/imports/${id}`, new Uint8Array(content))),
  };
}

function failureOf(url: string, status: number, text: string): string {
  if (status === 401) return `${url} rejects the ADMIN_TOKEN. Set the platform's own.`;
  try {
    const { error }: { error: string } = JSON.parse(text);
    return `${error} (${url} returned ${status})`;
  } catch {
    return `${url} returned ${status}: ${text}`;
  }
}

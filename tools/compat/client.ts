/** A response of the platform. */
export type ApiResponse<T> = { status: number; data: T; error: string; details: Details };

/** The fields of an error beside its message. */
type Details = {
  hook?: string;
  error?: { name: string; message: string; stack?: string };
  issues?: { path?: string; message?: string; text?: string }[];
};

/** The platform has exited or does not respond. */
export class PlatformGone extends Error {
  override readonly name = "PlatformGone";
}

/** The trial exceeded its time limit. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

/** A caller of the platform with a token. */
export class Client {
  readonly #base: string;
  readonly #token: string;

  constructor(base: string, token: string) {
    this.#base = base;
    this.#token = token;
  }

  /** Call the API. An error status is a response; only a missing response throws. */
  async call<T>(
    method: string,
    path: string,
    { body, signal }: { body?: unknown; signal: AbortSignal },
  ): Promise<ApiResponse<T>> {
    const response = await send(`${this.#base}${path}`, {
      method,
      signal,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the envelope of the API.
    const envelope = parsed(response.text) as { data: T; error?: string; details?: Details };
    const { data, error = "", details = {} } = envelope;
    return { status: response.status, data, error, details };
  }

  /** The response of a GET that must succeed. */
  async read<T>(path: string, signal: AbortSignal): Promise<T> {
    const { status, data, error } = await this.call<T>("GET", path, { signal });
    if (status !== 200) throw new Error(`GET ${path} returned ${status}: ${error}`);
    return data;
  }
}

/** Send a request and read the whole response. */
export async function send(
  url: string,
  init: RequestInit,
): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, init);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    if (init.signal?.aborted) throw new OutOfTime("The trial timed out", { cause: error });
    throw new PlatformGone("The platform does not respond", { cause: error });
  }
}

function parsed(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return { error: text.slice(0, 500) };
  }
}

/** A file of the code store. */
type StoredFile = Pick<R2ObjectBody, "arrayBuffer" | "json" | "size" | "uploaded"> & {
  body: ReadableStream<Uint8Array>;
};

/** What the bundler uses of the code store: a bucket is one. */
export type BundlerStore = {
  get(name: string): Promise<StoredFile | null>;
  head(name: string): Promise<object | null>;
  put(name: string, content: string | Uint8Array): Promise<unknown>;
};

/** The platform, for a bundler in a process of its own. */
export type BuildHost = {
  /** Read a file of the code store; null if it does not exist. */
  readFile(
    name: string,
  ): Promise<{ size: number; uploadedMs: number; content: ReadableStream<Uint8Array> } | null>;
  hasFile(name: string): Promise<boolean>;
  writeFile(name: string, size: number, content: ReadableStream<Uint8Array>): Promise<void>;
  /** Note that the compiler begins a build for a call. Returns the number of the build. */
  beginBuild(call: string, limitMs: number): Promise<number>;
  endBuild(build: number): Promise<void>;
};

/** The code store behind the platform. */
export function remoteStore(host: BuildHost): BundlerStore {
  return {
    async get(name) {
      const file = await host.readFile(name);
      if (file === null) return null;
      const { size, uploadedMs, content } = file;
      const response = new Response(content);
      return {
        size,
        uploaded: new Date(uploadedMs),
        body: content,
        arrayBuffer: () => response.arrayBuffer(),
        json: <T>() => response.json<T>(),
      };
    },
    head: async (name) => ((await host.hasFile(name)) ? {} : null),
    async put(name, content) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await host.writeFile(name, bytes.length, new Blob([bytes]).stream());
    },
  };
}

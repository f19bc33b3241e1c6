import { WorkerEntrypoint } from "cloudflare:workers";

import type { BuildHost } from "#bundler/store.ts";
import { buildWatch } from "#worker/bundler.ts";

/**
 * The platform's methods for a bundler in a process of its own. Only that has access: it listens at an address of its
 * own, where RPC needs a secret name.
 */
export class BundlerHost extends WorkerEntrypoint<Env> implements BuildHost {
  override fetch(): Response {
    return new Response(null, { status: 403 });
  }

  async readFile(name: string) {
    const file = await this.env.CODE.get(name);
    return file && { size: file.size, uploadedMs: file.uploaded.getTime(), content: file.body };
  }

  async hasFile(name: string): Promise<boolean> {
    return (await this.env.CODE.head(name)) !== null;
  }

  async writeFile(name: string, size: number, content: ReadableStream<Uint8Array>): Promise<void> {
    // A bucket must know the size of what it stores.
    const { readable, writable } = new FixedLengthStream(size);
    await Promise.all([this.env.CODE.put(name, readable), content.pipeTo(writable)]);
  }

  async beginBuild(call: string, limitMs: number): Promise<number> {
    return (await buildWatch(this.env)?.begin(call, limitMs)) ?? 0;
  }

  async endBuild(build: number): Promise<void> {
    buildWatch(this.env)?.end(build);
  }
}

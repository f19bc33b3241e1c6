import { packTar } from "modern-tar";

/** A compressed tarball of files by path. */
export async function archiveOf(files: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> {
  const entries = Object.entries(files).map(([name, body]) => ({
    header: { name, size: new TextEncoder().encode(body).length, type: "file" as const },
    body,
  }));
  const packed = await packTar(entries);
  const zipped = new Blob([new Uint8Array(packed)])
    .stream()
    .pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(zipped).arrayBuffer());
}

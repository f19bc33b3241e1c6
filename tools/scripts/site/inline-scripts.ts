import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const INLINE = /<script((?![^>]*\ssrc=)[^>]*)>([^]*?)<\/script>/g;

/** Move inline scripts of pages to separate files: the policy of our pages allows no inline script. */
export async function moveScripts(site: string): Promise<void> {
  const files = await readdir(site, { recursive: true });
  for (const file of files.filter((name) => name.endsWith(".html"))) {
    const page = await readFile(join(site, file), "utf8");
    const { text, scripts } = withoutScripts(page);
    for (const [name, script] of scripts) await writeFile(join(site, "assets", name), script);
    await writeFile(join(site, file), text);
  }
}

function withoutScripts(page: string): { text: string; scripts: Map<string, string> } {
  const scripts = new Map<string, string>();
  const text = page.replaceAll(INLINE, (_, attributes: string, script: string) => {
    const hash = createHash("sha256").update(script).digest("hex").slice(0, 8);
    const name = `inline.${hash}.js`;
    scripts.set(name, script);
    return `<script${attributes} src="/docs/assets/${name}"></script>`;
  });
  return { text, scripts };
}

const PAGES = ["/console", "/docs"];

/** The page of a platform to open: its console if it has one, else its documentation. */
export async function pageOf(origin: string, sourceId?: string): Promise<string> {
  const [console = "", docs = ""] = PAGES.map((path) => `${origin}${path}`);
  const response = await fetch(console, { method: "HEAD" }).catch(() => undefined);
  if (!response?.ok) return docs;
  return sourceId === undefined ? console : `${console}/sources/${sourceId}`;
}

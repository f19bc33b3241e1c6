/** The URL of a file's raw text: GitHub serves it elsewhere than its page. */
export function rawUrl(url: URL): URL {
  const segments = url.pathname.split("/").slice(1);
  if (url.hostname === "github.com") return rawFile(url, segments);
  if (url.hostname === "gist.github.com") return rawGist(url, segments);
  return url;
}

function rawFile(url: URL, [owner = "", name = "", view = "", ...rest]: string[]): URL {
  if (view !== "blob" && view !== "raw") return url;
  return at(url, "raw.githubusercontent.com", [owner, name, ...rest]);
}

function rawGist(url: URL, [owner = "", id = "", ...rest]: string[]): URL {
  if (id === "") return url;
  return at(url, "gist.githubusercontent.com", [
    owner,
    id,
    ...(rest[0] === "raw" ? rest : ["raw"]),
  ]);
}

function at({ search }: URL, hostname: string, segments: string[]): URL {
  return new URL(`https://${hostname}/${segments.join("/")}${search}`);
}

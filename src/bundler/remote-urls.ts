/** Where the text of a file lies that a URL shows: GitHub's pages have it elsewhere. */
export function rawUrl(url: URL): URL {
  const [, owner = "", name = "", view = "", ...rest] = url.pathname.split("/");
  if (url.hostname === "github.com" && (view === "blob" || view === "raw")) {
    return at(url, "raw.githubusercontent.com", [owner, name, ...rest]);
  }
  if (url.hostname !== "gist.github.com" || name === "") return url;
  const file = view === "raw" ? [view, ...rest] : ["raw"];
  return at(url, "gist.githubusercontent.com", [owner, name, ...file]);
}

function at({ search }: URL, hostname: string, segments: string[]): URL {
  return new URL(`https://${hostname}/${segments.join("/")}${search}`);
}

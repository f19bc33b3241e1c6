import type { IncomingMessage, ServerResponse } from "node:http";

/** A page of a customer's product, which connects accounts with our library. Its title shows the outcome. */
function pageOf(platform: string): string {
  return `<!doctype html>
    <html lang="en">
      <title>Product</title>
      <h1>Product</h1>
      <button id="connect">Connect</button>
      <output></output>
      <script src="${platform}/connect.js"></script>
      <script>
        const options = Object.fromEntries(new URLSearchParams(location.search));
        const output = document.querySelector("output");
        document.getElementById("connect").addEventListener("click", () => {
          output.textContent = "";
          Wellspring.connectAccount(options).then(
            ({ id }) => (output.textContent = "connected " + id),
            ({ name, message }) => (output.textContent = name + ": " + message),
          );
        });
      </script>
    </html>`;
}

/** A customer's product: a page that connects accounts, others that users return to, and scripts. */
export class Product {
  readonly #scripts = new Map<string, string>();
  readonly #platform: string;

  /** @param platform The origin that the browser sees the platform at. */
  constructor(platform: string) {
    this.#platform = platform;
  }

  /** Serve a page with only a script. */
  serveScript(path: string, code: string): void {
    this.#scripts.set(path, code);
  }

  readonly answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { pathname } = new URL(request.url ?? "/", "https://product");
    const isScript = pathname.endsWith(".js");
    const script = this.#scripts.get(pathname.replace(/\.js$/, ""));
    const type = isScript ? "text/javascript" : "text/html";
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` });
    if (script !== undefined) return void response.end(isScript ? script : hostOf(pathname));
    response.end(pathname === "/" ? pageOf(this.#platform) : `<h1>${pathname.slice(1)}</h1>`);
  };
}

function hostOf(path: string): string {
  return `<!doctype html><title>Product</title><div id="root"></div><output></output>
    <script type="module" src="${path}.js"></script>`;
}

/** The attempts of an endpoint's page against the API's origin, `api`, each an expression in the page. */
const ATTEMPTS: Record<string, string> = {
  "local storage": `Object.values({ ...localStorage }).join()`,
  "session storage": `Object.values({ ...sessionStorage }).join()`,
  cookies: `document.cookie`,
  databases: `JSON.stringify(await indexedDB.databases())`,
  caches: `(await caches.keys()).join()`,
  "the page that opened it": `opener ? opener.localStorage.getItem("key") : "none"`,
  "the page around it": `top === self ? "none" : top.localStorage.getItem("key")`,
  "a window that it opens": `await (async () => { const page = open(api + "/docs"); await later(1500); return page ? page.document.body.innerHTML + page.localStorage.getItem("key") : "none"; })()`,
  "script in a window that it opens": `await (async () => { const page = open(api + "/docs"); await later(1000); page.location = "javascript:opener.postMessage(localStorage.getItem('key'), '*')"; return nextMessage(1500); })()`,
  "a frame": `await (async () => { const frame = document.body.appendChild(document.createElement("iframe")); frame.src = api + "/docs"; await later(1500); return frame.contentDocument.body.innerHTML + frame.contentWindow.localStorage.getItem("key"); })()`,
  "a frame of its own text": `await framed({ srcdoc: REPORTER })`,
  "a frame of a blob": `await framed({ src: URL.createObjectURL(new Blob([REPORTER], { type: "text/html" })) })`,
  "a frame of itself": `await framed({ src: location.href + "?frame" })`,
  "a request with credentials": `await (await fetch(api + "/v1/users/me", { credentials: "include" })).text()`,
  "the session": `await (await fetch(api + "/console/session", { credentials: "include" })).text()`,
  "a change by the session": `await (await fetch(api + "/v1/webhooks?url=http://127.0.0.1:9/", { method: "POST", mode: "no-cors", credentials: "include" })).text()`,
  "a form by the session": `await (async () => { const frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { name: "posted" })); const form = document.body.appendChild(Object.assign(document.createElement("form"), { method: "post", action: api + "/v1/webhooks?url=http://127.0.0.1:9/", target: "posted" })); form.submit(); await later(1500); return frame.contentDocument.body.innerHTML; })()`,
  "a cookie of a session": `(document.cookie = "wellspring_session=planted; path=/", "set")`,
  "a page by request": `await (await fetch(api + "/docs", { credentials: "include" })).text()`,
  "a worker": `await (async () => { const worker = new Worker(URL.createObjectURL(new Blob(["indexedDB.databases().then((all) => postMessage(JSON.stringify(all)))"]))); return new Promise((done) => { worker.onmessage = ({ data }) => done(data); worker.onerror = () => done("none"); setTimeout(done, 1500, "none"); }); })()`,
  "a shared worker": `await (async () => { const worker = new SharedWorker(location.href + "?worker"); return new Promise((done) => { worker.port.onmessage = ({ data }) => done(data); worker.onerror = () => done("none"); setTimeout(done, 1500, "none"); }); })()`,
  "a channel": `await (async () => { const channel = new BroadcastChannel("keys"); channel.postMessage("give"); return new Promise((done) => { channel.onmessage = ({ data }) => done(data); setTimeout(done, 1500, "none"); }); })()`,
  "a service worker": `String((await navigator.serviceWorker.register(location.pathname + "?worker", { scope: "/" })).scope)`,
  "a cookie for all paths": `(document.cookie = "planted=1; path=/", "set")`,
  "storage of its own": `(localStorage.setItem("planted", "1"), "set")`,
};

/** The page that its component returns: it stores the result of each attempt in \`results\`. */
export function hostilePage(api: string): string {
  const attempts = Object.entries(ATTEMPTS).map(
    ([name, expression]) => `${JSON.stringify(name)}: async () => ${expression}`,
  );
  return `<html xmlns="http://www.w3.org/1999/xhtml"><body><script>//<![CDATA[
const api = ${JSON.stringify(api)};
const REPORTER = "<script>try { parent.postMessage(localStorage.getItem('key'), '*') } catch (error) { parent.postMessage(error.name, '*') }<\\/script>";
const later = (ms) => new Promise((done) => setTimeout(done, ms));
const nextMessage = (ms) => new Promise((done) => { addEventListener("message", ({ data }) => done(String(data)), { once: true }); setTimeout(done, ms, "none"); });
const framed = (fields) => { const message = nextMessage(1500); document.body.appendChild(Object.assign(document.createElement("iframe"), fields)); return message; };
const attempts = { ${attempts.join(",\n")} };
if (location.search === "?frame") {
  let read; try { read = parent.localStorage.getItem("key") + localStorage.getItem("key"); } catch (error) { read = error.name; }
  parent.postMessage(read, "*");
} else {
  window.results = Promise.all(Object.entries(attempts).map(async ([name, attempt]) => {
    try { return [name, String(await attempt())]; } catch (error) { return [name, "failed: " + error.name]; }
  }));
}
//]]></script></body></html>`;
}

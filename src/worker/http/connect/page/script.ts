/**
 * The script of the connect page, whose links and form work without it: it reports the state to the embedding page,
 * opens the provider in a window of its own, and waits for its result. It reads its settings from the attributes of
 * `body`, and creates no markup.
 */
export const SCRIPT = `
"use strict";
(() => {
  const { dataset } = document.body;
  const origins = JSON.parse(dataset.origins || "[]");
  const isFramed = parent !== window;
  const byId = (id) => document.getElementById(id);
  const notifyEmbedder = (message) => {
    if (isFramed) for (const origin of origins.length > 0 ? origins : ["*"]) parent.postMessage(message, origin);
    else if (opener) opener.postMessage(message, location.origin);
  };
  const close = () => { if (isFramed) notifyEmbedder({ type: "close" }); else window.close(); };
  const succeed = (authProvisionId) => {
    notifyEmbedder({ type: "success", authProvisionId });
    setTimeout(close, 1200);
  };

  for (const button of document.querySelectorAll("[data-close]")) {
    button.hidden = dataset.hidesClose === "true" || (!isFramed && !opener);
    button.addEventListener("click", close);
  }
  addEventListener("keydown", ({ key }) => { if (key === "Escape" && isFramed) close(); });
  if (dataset.account) succeed(dataset.account);
  if (dataset.error) notifyEmbedder({ type: "error", error: dataset.error });
  (document.querySelector("[aria-invalid=true]") || byId("alert"))?.focus();

  addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
  const form = document.querySelector("form");
  const isApart = isFramed && form?.id === "sign-in";
  form?.addEventListener("submit", (event) => {
    const button = form.querySelector("button");
    if (button.getAttribute("aria-disabled") === "true") return event.preventDefault();
    if (isApart) return;
    button.setAttribute("aria-disabled", "true");
    button.textContent = button.dataset.busy;
  });
  if (!isApart) return;

  const [status, alert] = [byId("status"), byId("alert")];
  let popup, timer;
  const show = (element, text) => { element.textContent = text; element.hidden = text === ""; };
  const look = async () => {
    clearTimeout(timer);
    const response = await fetch(dataset.status, { cache: "no-store" }).catch(() => undefined);
    const { account_id: account, ended } = response?.ok ? await response.json() : {};
    if (account) {
      byId("question").hidden = true;
      byId("done").hidden = false;
      byId("done").querySelector("h1").focus();
      popup?.close();
      return succeed(account);
    }
    if (ended) return location.reload();
    if (popup?.closed) show(status, dataset.closed);
    timer = setTimeout(look, 1000);
  };
  form.addEventListener("submit", () => {
    const [width, height] = [560, 720];
    const left = Math.max(0, screenX + (outerWidth - width) / 2);
    const top = Math.max(0, screenY + (outerHeight - height) / 2);
    popup = window.open("", form.target, "popup,width=" + width + ",height=" + height + ",left=" + left + ",top=" + top);
    show(alert, "");
    show(status, dataset.waiting);
    clearTimeout(timer);
    timer = setTimeout(look, 1000);
  });
  addEventListener("message", ({ origin, data }) => {
    if (origin !== location.origin || !data) return;
    if (data.type === "success") look();
    if (data.type !== "error" || typeof data.error !== "string") return;
    show(status, "");
    show(alert, data.error);
    notifyEmbedder({ type: "error", error: data.error });
  });
})();
`;

/** The style of the connect page: system fonts and colours, light and dark, from a phone's width on. */
export const STYLE = `
:root {
  --surface: #fff; --ink: #16181d; --soft: #5b616e; --line: #c9ced8; --accent: #2454d6; --on-accent: #fff;
  --bad: #b3261e; --bad-surface: #fdf0ef; --good: #1b7f4b; --canvas: #f3f4f7; --veil: rgb(18 20 26 / 0.55);
}
@media (prefers-color-scheme: dark) {
  :root {
    --surface: #1c1f26; --ink: #eceef2; --soft: #a5acba; --line: #454b58; --accent: #8fb0ff; --on-accent: #0d1730;
    --bad: #ff9d95; --bad-surface: #3a2120; --good: #6fd6a0; --canvas: #111318; --veil: rgb(0 0 0 / 0.65);
  }
}
* { box-sizing: border-box; }
html { height: 100%; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100%; display: grid; place-items: center; padding: 1rem;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--ink); background: var(--canvas);
}
body.framed { background: var(--veil); }
main {
  color-scheme: light dark; position: relative; width: 100%; max-width: 26rem; padding: 2rem 1.5rem 1.5rem;
  background: var(--surface); border-radius: 1rem; box-shadow: 0 1px 2px rgb(0 0 0 / 0.08), 0 12px 40px rgb(0 0 0 / 0.14);
}
@media (max-width: 30rem) {
  body:not(.framed) { padding: 0; place-items: stretch; }
  body:not(.framed) main { max-width: none; border-radius: 0; box-shadow: none; }
}
.marks { display: flex; align-items: center; justify-content: center; gap: 0.75rem; margin-bottom: 1.25rem; color: var(--soft); }
.mark {
  width: 3rem; height: 3rem; border-radius: 0.75rem; border: 1px solid var(--line); display: grid; place-items: center;
  font-weight: 600; font-size: 1.25rem; color: var(--ink); background: var(--canvas); object-fit: contain; overflow: hidden;
}
.mark.done { border-color: var(--good); color: var(--good); }
.mark.failed { border-color: var(--bad); color: var(--bad); }
h1 { margin: 0 0 0.5rem; font-size: 1.35rem; line-height: 1.25; text-align: center; text-wrap: balance; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.lead { text-align: center; color: var(--soft); }
.field { margin-bottom: 1.1rem; }
label { display: block; font-weight: 600; margin-bottom: 0.3rem; overflow-wrap: anywhere; }
label span { font-weight: 400; color: var(--soft); }
.hint { font-size: 0.875rem; color: var(--soft); margin: 0.3rem 0 0; }
.problem { font-size: 0.875rem; color: var(--bad); margin: 0.3rem 0 0; }
.alert { color: var(--bad); background: var(--bad-surface); border-radius: 0.6rem; padding: 0.7rem 0.9rem; }
input {
  width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; font: inherit; color: var(--ink); background: var(--surface);
  border: 1px solid var(--line); border-radius: 0.6rem;
}
input[aria-invalid="true"] { border-color: var(--bad); }
button, .button {
  display: block; width: 100%; min-height: 2.75rem; padding: 0.6rem 1rem; border: 1px solid transparent; border-radius: 0.6rem;
  font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer;
  color: var(--on-accent); background: var(--accent);
}
button.plain, .button.plain { margin-top: 0.6rem; color: var(--ink); background: transparent; border-color: var(--line); }
button[aria-disabled="true"] { opacity: 0.65; cursor: progress; }
.close {
  position: absolute; top: 0.6rem; right: 0.6rem; width: 2.75rem; padding: 0; font-size: 1.4rem; line-height: 1;
  color: var(--soft); background: transparent;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.foot { margin: 1.25rem 0 0; font-size: 0.8125rem; color: var(--soft); text-align: center; }
.foot a { color: inherit; }
[hidden] { display: none; }
@media (prefers-reduced-motion: no-preference) { main { animation: rise 0.18s ease-out; } @keyframes rise { from { transform: translateY(6px); opacity: 0; } } }
@media (forced-colors: active) { main, .mark { border: 1px solid; } }
`;

/** The chosen theme, or that of the system. */
export type Theme = "system" | "light" | "dark";

const KEY = "theme";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** The chosen theme of this browser. */
function chosenTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** Choose a theme for this browser, and show it. */
export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme();
}

/** Show the chosen theme, now and after changes of the system's theme. */
export function startTheme(): void {
  applyTheme();
  dark.addEventListener("change", applyTheme);
}

function applyTheme(): void {
  const theme = chosenTheme();
  const isDark = theme === "dark" || (theme === "system" && dark.matches);
  document.documentElement.dataset["mode"] = isDark ? "dark" : "light";
}

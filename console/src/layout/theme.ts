/** The chosen theme, or that of the system. */
export type Theme = "system" | "light" | "dark";

const KEY = "theme";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** The theme that was chosen in this browser. */
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

/** Show the chosen theme, now and when the system changes its own. */
export function startTheme(): void {
  applyTheme();
  dark.addEventListener("change", applyTheme);
}

function applyTheme(): void {
  const theme = chosenTheme();
  const isDark = theme === "dark" || (theme === "system" && dark.matches);
  document.documentElement.dataset["mode"] = isDark ? "dark" : "light";
}

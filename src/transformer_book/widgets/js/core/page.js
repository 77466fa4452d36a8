// What the page around an explorer says: its language, and whether it is dark.

// A static page declares its language. JupyterLab declares that of its menus, so there the reader's browser decides
// unless the menus are Chinese already.
function pageLanguage(element, live) {
  const declared = element.closest("[lang]")?.lang || document.documentElement.lang;
  const language = live && !declared.startsWith("zh") ? navigator.language : declared;
  return language.startsWith("zh") ? "zh" : "en";
}

function pageIsDark() {
  const { theme } = document.documentElement.dataset; // the book's site
  if (theme === "dark" || theme === "light") return theme === "dark";
  const { jpThemeLight, vscodeThemeKind } = document.body.dataset; // JupyterLab and Notebook; VS Code
  if (jpThemeLight) return jpThemeLight === "false";
  if (vscodeThemeKind) return vscodeThemeKind.includes("dark");
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

// Calls back now and whenever the theme changes; returns how to stop.
function watchTheme(callback) {
  let known = null;
  const tell = () => {
    const dark = pageIsDark();
    if (dark !== known) callback(dark);
    known = dark;
  };
  const observer = new MutationObserver(tell);
  for (const element of [document.documentElement, document.body]) observer.observe(element, { attributes: true });
  const preference = matchMedia("(prefers-color-scheme: dark)");
  preference.addEventListener("change", tell);
  tell();
  return () => {
    observer.disconnect();
    preference.removeEventListener("change", tell);
  };
}

const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

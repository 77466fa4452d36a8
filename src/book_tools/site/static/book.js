// What the book adds to its pages: hints on bound numbers, reachable scrollers, answers that unfold on white paper.
"use strict";

(() => {
  const hint = document.createElement("div");
  hint.id = "book-hint";
  hint.setAttribute("role", "tooltip");
  hint.hidden = true;
  document.body.append(hint);

  let owner = null; // the number whose hint is shown

  function show(link) {
    if (owner !== link) hide();
    owner = link;
    hint.textContent = link.dataset.hint;
    hint.hidden = false;
    link.setAttribute("aria-describedby", hint.id);
    const box = link.getBoundingClientRect();
    const right = document.documentElement.clientWidth - hint.offsetWidth - 8;
    hint.style.left = `${Math.max(8, Math.min(box.left, right)) + window.scrollX}px`;
    const below = box.bottom + 6 + hint.offsetHeight < window.innerHeight;
    const top = below ? box.bottom + 6 : box.top - 6 - hint.offsetHeight;
    hint.style.top = `${top + window.scrollY}px`;
  }

  function hide() {
    if (owner) owner.removeAttribute("aria-describedby");
    owner = null;
    hint.hidden = true;
  }

  let leaving = 0; // the pointer may cross the gap between number and hint
  const stay = () => clearTimeout(leaving);
  const leave = () => {
    stay();
    leaving = setTimeout(hide, 200);
  };

  for (const link of document.querySelectorAll(".bound-value")) {
    link.dataset.hint = link.title;
    link.removeAttribute("title");
    let openBefore = false;
    link.addEventListener("pointerdown", () => (openBefore = owner === link));
    link.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse") {
        stay();
        show(link);
      }
    });
    link.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && leave());
    link.addEventListener("focus", () => show(link));
    link.addEventListener("blur", hide);
    link.addEventListener("click", (event) => {
      // The first tap tells, the second one goes there.
      if (event.pointerType === "touch" && !openBefore) {
        event.preventDefault();
        show(link);
      }
    });
  }
  hint.addEventListener("pointerenter", stay);
  hint.addEventListener("pointerleave", leave);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());

  // Buttons of the theme; the page's policy allows no handlers in attributes.
  const actions = { print: () => window.print(), "full-screen": () => window.toggleFullScreen() };
  for (const button of document.querySelectorAll("[data-action]"))
    button.addEventListener("click", actions[button.dataset.action]);

  // A browser that draws no MathML shows the TeX that stands in each formula.
  function drawsMathml() {
    const probe = document.body.appendChild(document.createElement("div"));
    probe.style.cssText = "position: absolute; visibility: hidden";
    probe.innerHTML = '<math><mspace width="20px"></mspace></math>';
    const width = probe.firstChild.getBoundingClientRect().width;
    probe.remove();
    return width > 10;
  }
  if (document.querySelector("math") && !drawsMathml()) {
    for (const formula of document.querySelectorAll("math")) {
      const tex = document.createElement("code");
      tex.textContent = formula.querySelector("annotation").textContent;
      formula.replaceWith(tex);
    }
  }

  // What scrolls sideways can be scrolled from the keyboard; what scrolls depends on widths, which change.
  const SCROLLERS =
    "pre, div.math, .cell_output > .output, .pst-scrollable-table-container";
  const article = document.querySelector(".bd-article");
  function reachScrollers() {
    for (const box of article.querySelectorAll(SCROLLERS)) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }
  if (article) new ResizeObserver(reachScrollers).observe(article);

  // Paper shows every answer, and is white.
  let opened = [];
  let theme = "";
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
    theme = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
  });
  window.addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
    document.documentElement.dataset.theme = theme;
  });
})();

// What the book adds to its pages: hints and previews at links, keys that turn pages, where a reader was,
// reachable scrollers, answers that unfold on white paper.
"use strict";

(() => {
  const hint = document.createElement("div");
  hint.id = "book-hint";
  hint.setAttribute("role", "tooltip");
  hint.hidden = true;
  document.body.append(hint);

  let owner = null; // the link whose hint is shown

  // contents(link) gives text or a node, or a promise of it.
  async function show(link, contents) {
    if (owner === link) return;
    hide();
    owner = link;
    const shown = await contents(link);
    if (owner !== link) return; // the reader went on
    if (!shown) return hide();
    hint.replaceChildren(shown);
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

  let leaving = 0; // the pointer may cross the gap between link and hint
  const stay = () => clearTimeout(leaving);
  const leave = () => {
    stay();
    leaving = setTimeout(hide, 200);
  };

  function hintAt(link, contents) {
    let openBefore = false;
    link.addEventListener("pointerdown", () => (openBefore = owner === link));
    link.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse") {
        stay();
        show(link, contents);
      }
    });
    link.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && leave());
    link.addEventListener("focus", () => show(link, contents));
    link.addEventListener("blur", hide);
    link.addEventListener("click", (event) => {
      // The first tap tells, the second one goes there.
      if (event.pointerType === "touch" && !openBefore) {
        event.preventDefault();
        show(link, contents);
      }
    });
  }

  // Bound numbers and citations say in a title what stands behind them.
  for (const link of document.querySelectorAll(".bound-value, article a[href*='references.html#'][title]")) {
    link.dataset.hint = link.title;
    link.removeAttribute("title");
    hintAt(link, () => link.dataset.hint);
  }

  // A link to an equation, figure, table or exercise shows it; each page's pieces are a script (previews.py).
  const pieces = new Map(); // page -> its pieces by id, promised
  const arrived = new Map(); // page -> what keeps that promise
  window.bookPreview = (name, found) => arrived.get(name)(found);

  function piecesOf(name) {
    if (!pieces.has(name)) {
      const promise = new Promise((keep) => {
        arrived.set(name, keep);
        const script = document.createElement("script");
        script.src = `_static/previews/${name}.js`;
        script.onerror = () => keep({});
        document.head.append(script);
      });
      pieces.set(name, promise);
    }
    return pieces.get(name);
  }

  for (const link of document.querySelectorAll("article a[href*='#']:not(.headerlink)")) {
    const target = new URL(link.href, location.href);
    const id = decodeURIComponent(target.hash.slice(1));
    if (!/^(eq|fig|tab|ex)-\d/.test(id)) continue;
    const name = target.pathname.split("/").pop().replace(/\.html$/, "") || "index";
    hintAt(link, async () => {
      const found = (await piecesOf(name))[id];
      return found && document.createRange().createContextualFragment(found);
    });
  }

  hint.addEventListener("pointerenter", stay);
  hint.addEventListener("pointerleave", leave);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());

  // Arrow keys turn the pages, unless something has the focus that may want them.
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (document.activeElement !== document.body) return;
    const side = { ArrowLeft: ".left-prev", ArrowRight: ".right-next" }[event.key];
    document.querySelector(`a${side ?? ":not(*)"}`)?.click();
  });

  // Where was I: the page and how far down, kept on this device; the cover offers to go on there.
  const KEPT = "book-reading";
  const start = document.querySelector(".start");
  const title = document.querySelector("article h1")?.firstChild?.textContent.trim();
  function keep(value) {
    try {
      if (value) localStorage.setItem(KEPT, JSON.stringify(value));
      return JSON.parse(localStorage.getItem(KEPT));
    } catch {
      return null; // a browser that keeps nothing, or somebody else's value
    }
  }
  if (start) {
    const kept = keep();
    const page = document.querySelector(`.cards a[href="${CSS.escape(kept?.page ?? "")}"]`);
    if (page) {
      const again = start.appendChild(document.createElement("a"));
      again.className = "again";
      again.href = `${page.getAttribute("href")}#${kept.section ?? ""}`;
      again.textContent = start.dataset.again + page.textContent;
    }
  } else if (title) {
    window.addEventListener("pagehide", () => {
      const seen = [...document.querySelectorAll("article section[id]")].filter(
        (section) => section.getBoundingClientRect().top < window.innerHeight / 2,
      );
      keep({ page: location.pathname.split("/").pop(), section: seen.pop()?.id });
    });
  }

  // Buttons of the theme; the page's policy allows no handlers in attributes.
  const actions = { print: () => window.print(), "full-screen": () => window.toggleFullScreen() };
  for (const button of document.querySelectorAll("[data-action]"))
    button.addEventListener("click", actions[button.dataset.action]);

  // A menu closes with Escape, and where a reader acts elsewhere.
  for (const menu of document.querySelectorAll("details.dropdown-download-buttons")) {
    const close = ({ target }) => menu.contains(target) || (menu.open = false);
    for (const event of ["pointerdown", "focusin"]) document.addEventListener(event, close);
    menu.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.firstElementChild.focus();
    });
  }

  // A browser that draws no MathML shows the TeX that stands in each formula.
  if (!window.MathMLElement) {
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
    // What is hidden or folded is not laid out, and to measure it would cost a layout each; shown, it makes the article
    // longer.
    const boxes = [...article.querySelectorAll(SCROLLERS)].filter((box) => !box.closest("[hidden], details:not([open])"));
    const wide = boxes.map((box) => box.scrollWidth > box.clientWidth); // all are read before one changes
    boxes.forEach((box, place) => {
      if (wide[place]) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    });
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

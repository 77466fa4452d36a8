// The link to another edition leads to what is in view: a cell or a numbered thing, which have the same names in every
// edition, or a section, whose name is another word there: `#section:3` is the third of the page.
"use strict";

(() => {
  const SAME = /^(?:cell-\d+|(?:eq|fig|tab|ex)-[\d-]+|guess-.+)$/;
  const SECTION = "#section:";
  const sections = [...document.querySelectorAll("article section")];

  function placeInView() {
    const known = [...document.querySelectorAll("article section, article [id]")].filter(
      (node) =>
        (SAME.test(node.id) || sections.includes(node)) &&
        node.getClientRects().length &&
        node.getBoundingClientRect().top < innerHeight / 2,
    );
    const last = known.at(-1);
    if (!last || last === sections[0]) return "";
    return SAME.test(last.id) ? `#${last.id}` : `${SECTION}${sections.indexOf(last)}`;
  }

  for (const link of document.querySelectorAll("a.other-edition")) {
    const lead = () => {
      link.hash = placeInView();
    };
    link.addEventListener("click", lead);
    link.addEventListener("auxclick", lead);
  }
  if (location.hash.startsWith(SECTION)) sections[Number(location.hash.slice(SECTION.length))]?.scrollIntoView();
})();

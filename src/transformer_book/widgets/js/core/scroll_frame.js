// A frame around what may be wider than a phone. While it scrolls it can be reached by key, and has a name.

const frameWatcher = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const frame = target.closest(".matrix-frame");
    const scrolls = frame !== null && frame.scrollWidth > frame.clientWidth + 1;
    if (scrolls) frame.setAttribute("tabindex", "0");
    else frame?.removeAttribute("tabindex");
  }
});

function scrollFrame(name, child) {
  const frame = h("div", { class: "matrix-frame", role: "group", "aria-label": name }, child);
  frameWatcher.observe(frame);
  frameWatcher.observe(child);
  return frame;
}

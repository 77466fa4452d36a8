// Elements in one call: h("button", { class: "step", on: { click } }, "text", child).

function h(tag, properties = {}, ...children) {
  const svg = ["svg", "g", "path", "line", "circle", "rect", "text", "polyline"].includes(tag);
  const element = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "html") element.innerHTML = value; // only ever our own labels, never a reader's text
    else if (name in element && !svg && name !== "list") element[name] = value;
    else if (value !== null) element.setAttribute(name === "class" ? "class" : name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function setText(element, text) {
  const { firstChild: first } = element;
  if (first?.nodeType === Node.TEXT_NODE && first.nextSibling === null) {
    if (first.data !== text) first.data = text;
  } else element.textContent = text;
}

function setClass(element, name) {
  if (element.className !== name) element.className = name;
}

// Keep exactly `count` children, made and removed at place `at`: at the end, or where a list changed.
function keepChildren(parent, count, make, at = count) {
  while (parent.children.length > count) parent.children[at].remove();
  while (parent.children.length < count) parent.insertBefore(make(parent.children.length), parent.children[at] ?? null);
}

function firstDifference(before, after) {
  const place = before.findIndex((x, i) => x !== after[i]);
  return place < 0 ? before.length : place;
}

// Marking by keyboard: Enter goes to the next answer, Shift+Enter back, Ctrl+S saves the sheet. What is typed
// is kept in this browser until the next marking run writes it into the page.
"use strict";
const articles = [...document.querySelectorAll("article")];
const boxes = articles.map((article) => article.querySelector(".points"));
const key = (article) => ["marks", "SET", article.dataset.id || article.dataset.file, article.dataset.item,
  article.dataset.version].join("/");

function stored(article, value) {
  try {
    if (value === undefined) return JSON.parse(localStorage.getItem(key(article)));
    localStorage.setItem(key(article), JSON.stringify(value));
  } catch { /* a browser may keep nothing for pages from files */ }
  return null;
}

function progress() {
  const done = boxes.filter((box) => box.value !== "").length;
  document.getElementById("progress").textContent =
    "PROGRESS".replace("{}", done).replace("{}", boxes.length);
}

function quoted(value) {
  return `"${String(value).replaceAll('"', '""')}"`;
}

function row(article) {
  const { id, name, file, item, title, most, version } = article.dataset;
  const [points, comment] = [article.querySelector(".points").value, article.querySelector("textarea").value];
  return [id, name, file, item, title, most, points, comment, version].map(quoted).join(",");
}

function save() {
  const wrong = boxes.find((box) => !box.checkValidity());
  if (wrong) {
    wrong.focus();
    wrong.reportValidity();
    return;
  }
  const text = "\ufeff" + ["HEADER", ...articles.map(row)].join("\r\n") + "\r\n";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = "by-hand.csv";
  link.click();
}

articles.forEach((article, index) => {
  const [box, comment] = [boxes[index], article.querySelector("textarea")];
  const kept = stored(article);
  if (kept) [box.value, comment.value] = kept;
  article.addEventListener("input", () => {
    stored(article, [box.value, comment.value]);
    progress();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const next = boxes[index + (event.shiftKey ? -1 : 1)];
    if (next) {
      next.focus();
      next.closest("article").scrollIntoView({ block: "center" });
    }
  });
});
document.getElementById("save").addEventListener("click", save);
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "s") {
    event.preventDefault();
    save();
  }
});
progress();

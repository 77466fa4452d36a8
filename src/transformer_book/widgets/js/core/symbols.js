// Mathematical symbols as HTML.

const superscript = (n) => [...String(n)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");

const SYMBOLS = { X: "<b>X</b>", m: "<i>m</i>", km: "<b>k</b><sub>m</sub>" };

// "s⁽¹⁾mn" and its like: letter, mark of the head, indices.
function symbolHtml(text) {
  if (text in SYMBOLS) return SYMBOLS[text];
  return text
    .replace(/([sa])((?:⁽.⁾)?)mn/gu, "<i>$1</i>$2<sub>mn</sub>")
    .replace(/v((?:⁽.⁾)?)m/gu, "<b>v</b>$1<sub>m</sub>")
    .replace("√Dq", "√<i>D</i><sub>q</sub>");
}

function setHtml(element, html) {
  if (element.dataset.html === html) return;
  element.dataset.html = html;
  element.innerHTML = html;
}

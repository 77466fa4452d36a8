// Guesses: what answers one is out of sight until the reader commits to a number or a choice, or asks to see it.
// The answers stand in the page, so that without a script, on paper and for search engines nothing is hidden.
// Loaded before the first guess and not deferred: each part is closed as it is parsed, before it is drawn.
// `guessWords` is what it says, in the language of the site.
(() => {
  const page = location.pathname.split("/").pop();

  // A browser may refuse storage: then a guess lasts as long as the page.
  const memory = {
    get(name) {
      try {
        return JSON.parse(localStorage.getItem(`guess:${page}:${name}`));
      } catch {
        return null;
      }
    },
    set(name, state) {
      try {
        if (state) localStorage.setItem(`guess:${page}:${name}`, JSON.stringify(state));
        else localStorage.removeItem(`guess:${page}:${name}`);
      } catch {
        // refused
      }
    },
  };

  const fill = (text, ...values) => values.reduce((filled, value) => filled.replace("{}", () => value), text);

  // The number in what a reader typed: 1,152 and １１５２ and 2 million and 3/4 and 20%; NaN where there is none.
  function read(text, inPercent) {
    const plain = text.normalize("NFKC").replace(/[,\s]/g, "").replace(/[−–]/g, "-").replace("⁄", "/");
    const match = /^([+-]?\d*\.?\d+(?:e[+-]?\d+)?)(?:\/(\d*\.?\d+))?(\D*)$/i.exec(plain);
    const units = { ...guessWords.units, "%": inPercent ? 1 : 0.01, "": 1 };
    const unit = match && units[match[3].toLowerCase()];
    if (!unit) return NaN;
    return (Number(match[1]) / Number(match[2] ?? 1)) * unit;
  }

  const short = (value) => Number(value.toPrecision(3)).toLocaleString("en-US", { maximumSignificantDigits: 3 });

  // How far a guessed number is from the right one.
  function distance(guess, right) {
    const gap = Math.abs(guess - right);
    if (gap <= 1e-9 * Math.abs(right)) return guessWords.exact;
    const ratio = right === 0 || guess / right <= 0 ? "" : fill(guessWords.ratio, short(guess / right));
    return fill(guess > right ? guessWords.more : guessWords.less, short(gap), ratio);
  }

  class GuessAnswer extends HTMLElement {
    connectedCallback() {
      if (!memory.get(this.dataset.guess)) this.hide();
      this.addEventListener("beforematch", () => formOf(this).show());
    }

    hide() {
      // Where it can, the browser's own search opens it.
      this.setAttribute("hidden", "onbeforematch" in document ? "until-found" : "");
    }
  }

  class GuessForm extends HTMLElement {
    connectedCallback() {
      this.classList.toggle("answered", memory.get(this.id) !== null);
    }

    // Once the page is read: the element's own parts are there.
    start() {
      this.form = this.querySelector("form");
      this.result = this.querySelector(".guess-result");
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.commit();
      });
      this.querySelector(".guess-skip").addEventListener("click", () => this.open({}));
      this.querySelector(".guess-again").addEventListener("click", () => this.reset());
      const state = memory.get(this.id);
      if (state) this.tell(state);
    }

    get options() {
      return [...this.querySelectorAll("input[type=radio]")];
    }

    commit() {
      const number = this.querySelector("input[type=text]");
      if (!number) {
        const chosen = this.options.findIndex((option) => option.checked);
        if (chosen < 0) return this.say(guessWords.choose);
        return this.open({ option: chosen });
      }
      const value = read(number.value, this.querySelector(".guess-unit").textContent === "%");
      if (!Number.isFinite(value)) {
        number.setAttribute("aria-invalid", "true");
        return this.say(guessWords.write);
      }
      return this.open({ number: value });
    }

    open(state) {
      memory.set(this.id, state);
      this.show(state);
      this.result.focus();
    }

    // Also for a reader who comes by a link: that is no guess to remember.
    show(state = {}) {
      this.classList.add("answered");
      for (const answer of answersOf(this)) answer.removeAttribute("hidden");
      this.tell(state);
    }

    // Show what was guessed, and how far off it was.
    tell(state) {
      const { answer, shown } = this.dataset;
      const number = this.querySelector("input[type=text]");
      number?.removeAttribute("aria-invalid");
      this.options.forEach((option, place) => {
        option.checked = place === state.option;
        const right = option.dataset.right === "true";
        option.closest("li").className = right ? "guess-right" : option.checked ? "guess-wrong" : "";
      });
      this.form.querySelector("fieldset").disabled = true;
      const right = this.options.findIndex((option) => option.dataset.right === "true");
      if (number && state.number !== undefined) {
        if (!number.value) number.value = String(state.number);
        const how = fill(guessWords.guessed, short(state.number), distance(state.number, Number(answer)));
        this.say(fill(guessWords.answer, shown) + how);
      } else if (number) this.say(fill(guessWords.answer, shown));
      else if (state.option === right) this.say(guessWords.right);
      else this.say((state.option === undefined ? "" : guessWords.wrong) + fill(guessWords.option, right + 1));
    }

    say(text) {
      this.result.textContent = text;
    }

    reset() {
      memory.set(this.id, null);
      this.classList.remove("answered");
      for (const answer of answersOf(this)) answer.hide();
      this.form.reset();
      for (const item of this.querySelectorAll("li")) item.className = "";
      this.form.querySelector("fieldset").disabled = false;
      this.say("");
      this.querySelector("input").focus();
    }
  }

  const formOf = (answer) => document.getElementById(answer.dataset.guess);
  const answersOf = (form) => document.querySelectorAll(`guess-answer[data-guess="${form.id}"]`);

  customElements.define("guess-answer", GuessAnswer);
  customElements.define("guess-form", GuessForm);

  // What a link leads to, or a search has found, is not left out of sight.
  function uncover() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const hidden = [...document.querySelectorAll("guess-answer[hidden] .highlighted"), target];
    const inside = hidden.map((node) => node?.closest("guess-answer[hidden]")).filter(Boolean);
    for (const answer of inside) formOf(answer).show();
    if (target && inside.length) target.scrollIntoView();
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const form of document.querySelectorAll("guess-form")) form.start();
    uncover();
  });
  window.addEventListener("load", uncover); // the theme marks what was searched for as late as this
  window.addEventListener("hashchange", uncover);
})();

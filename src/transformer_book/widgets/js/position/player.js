// A button that walks on step by step, until it is pressed again or the end is reached.

const PACE = 300; // milliseconds a step

class Player {
  // step() takes one step and says whether another one can follow.
  constructor(text, step) {
    this.text = text;
    this.step = step;
    this.button = buttonControl(text.play, () => (this.timer ? this.stop() : this.start()), { class: "action main" });
  }

  start() {
    this.timer = setInterval(() => this.step() || this.stop(), PACE);
    setText(this.button, this.text.pause);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    setText(this.button, this.text.play);
  }
}

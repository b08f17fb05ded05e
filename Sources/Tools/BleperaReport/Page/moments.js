// The list of moments: a row for each that the filter shows, of which only those in view are drawn.

class Moments {
  constructor(list, rows, select) {
    this.list = list;
    this.body = rows;
    this.select = select;
    this.shown = [];
    this.selected = 0;
    list.addEventListener('scroll', () => this.draw());
    rows.addEventListener('click', (event) => {
      const row = event.target.closest('.row');
      if (row) this.select(Number(row.dataset.index));
    });
    new ResizeObserver(() => this.draw()).observe(list);
  }

  show(model) {
    this.model = model;
    this.texts = [];
    this.list.scrollTop = 0;
  }

  // The text that a filter searches, in lower case.
  text(index) {
    if (this.texts[index] === undefined) {
      const { step, event } = this.model.rows[index];
      const run = this.model.run;
      const parts = step ? [`step ${index}`, step.text, step.note, step.outcome, step.reason] : [
        event.label, event.details, event.kind.id, event.phone < 0 ? 'central' : run.phones[event.phone].name,
        ...event.centrals.map((one) => run.centrals[one].name), ...event.rules.map((rule) => `r${rule}`),
        ...event.fields.map((field) => run.texts[field])];
      this.texts[index] = parts.filter((part) => part).join(' ').toLowerCase();
    }
    return this.texts[index];
  }

  // A rule is a whole word, so that R1 does not find R10.
  matches(index, words, hidden) {
    const row = this.model.rows[index];
    if (hidden.has(row.category)) return false;
    return words.every((word) => /^r\d+$/.test(word)
      ? row.event !== undefined && row.event.rules.includes(Number(word.slice(1)))
      : this.text(index).includes(word));
  }

  filter(words, hidden) {
    const rows = this.model.rows;
    this.shown = [];
    for (let index = 0; index < rows.length; index += 1) {
      if (this.matches(index, words, hidden)) this.shown.push(index);
    }
    this.draw();
    return this.shown;
  }

  get height() { return window.matchMedia('(max-width: 860px)').matches ? 48 : 32; }

  mark(index) {
    this.selected = index;
    const place = lowerBound(this.shown, index), height = this.height;
    const top = place * height, room = this.list.clientHeight;
    if (this.shown[place] === index) {
      if (top < this.list.scrollTop) this.list.scrollTop = Math.max(0, top - height);
      if (top + height > this.list.scrollTop + room) this.list.scrollTop = top + 2 * height - room;
    }
    this.draw();
  }

  // The shown moment that is that many steps after the selected moment.
  neighbor(steps) {
    if (!this.shown.length) return this.selected;
    let place = lowerBound(this.shown, this.selected);
    if (this.shown[place] !== this.selected && steps > 0) place -= 1;
    return this.shown[Math.max(0, Math.min(this.shown.length - 1, place + steps))];
  }

  draw() {
    if (!this.model) return;
    const height = this.height, count = this.shown.length;
    this.body.style.height = `${Math.max(count * height, 1)}px`;
    const first = Math.max(0, Math.floor(this.list.scrollTop / height) - 4);
    const last = Math.min(count, first + Math.ceil(this.list.clientHeight / height) + 9);
    const drawn = [];
    for (let place = first; place < last; place += 1) {
      drawn.push(this.row(this.shown[place], place, count, height));
    }
    this.body.replaceChildren(...drawn);
    const isDrawn = drawn.some((row) => row.getAttribute('aria-selected') === 'true');
    if (isDrawn) this.list.setAttribute('aria-activedescendant', `row-${this.selected}`);
    else this.list.removeAttribute('aria-activedescendant');
  }

  row(index, place, count, height) {
    const { step, event, time, category } = this.model.rows[index];
    const node = el('div', { id: `row-${index}`, role: 'option', 'data-index': index, class: `row ${category}`,
      'aria-selected': String(index === this.selected), 'aria-posinset': place + 1, 'aria-setsize': count });
    node.style.top = `${place * height}px`;
    if (step) {
      const number = this.model.rows[index].number;
      const sign = { passed: '✓', failed: '✗', error: '✗', skipped: '–' }[step.outcome];
      node.append(el('span', { class: 'time' }, clock(time)), icon('step'),
        el('span', { class: 'text', title: step.text }, `${number}. ${short(step.text)}`),
        el('span', { class: `rules ${step.outcome}` }, `${sign} ${step.outcome}`));
      return node;
    }
    const run = this.model.run;
    const phone = run.phones.length > 1 && event.phone >= 0 ? `${run.phones[event.phone].name}  ` : '';
    node.append(el('span', { class: 'time' }, clock(time)),
      icon(category, shapeOf(event), isOpen(event)), el('span', { class: 'what' }, event.label),
      el('span', { class: 'text', title: event.details }, phone + short(this.named(event))),
      el('span', { class: 'rules' }, event.rules.map((rule) => `R${rule}`).join(' ')));
    return node;
  }

  // The details with names in place of the addresses of centrals.
  named(event) {
    let text = event.details;
    for (const index of event.centrals) {
      const central = this.model.run.centrals[index];
      if (central.address && central.name) text = text.replaceAll(central.address, central.name);
    }
    return text;
  }
}

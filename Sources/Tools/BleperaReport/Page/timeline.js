// The timeline: its lanes, its axis and what holds for a time.

const ROW = { axis: 40, head: 26, lane: 30, step: 24 };

function makeLanes(run) {
  const lanes = [];
  if (run.steps.length) lanes.push({ type: 'steps', label: 'Steps', height: ROW.step });
  run.phones.forEach((phone, index) => {
    lanes.push({ type: 'head', label: phone.name, height: ROW.head });
    lanes.push({ type: 'air', label: 'on the air', phone: index, height: ROW.lane });
    phone.apps.forEach((app, number) => {
      lanes.push({ type: 'app', label: shortApp(app.id), title: app.id, phone: index, app: number,
        height: ROW.lane });
    });
  });
  if (run.centrals.length) {
    lanes.push({ type: 'head', label: run.centrals.length === 1 ? 'Central' : 'Centrals', height: ROW.head });
    run.centrals.forEach((central, index) => {
      lanes.push({ type: 'central', label: central.name || central.address || 'central', title: central.address,
        central: index, height: ROW.lane });
    });
  }
  let top = ROW.axis;
  for (const lane of lanes) {
    lane.top = top;
    top += lane.height;
  }
  return { lanes, height: top + 6 };
}

function lanesOf(event, lanes) {
  if (event.centrals.length && event.category !== 'state' && event.category !== 'life') {
    return lanes.filter((lane) => lane.type === 'central' && event.centrals.includes(lane.central));
  }
  const own = lanes.find((lane) => lane.type === 'app' && lane.phone === event.phone && lane.app === event.app);
  if (own && event.category !== 'air') return [own];
  return lanes.filter((lane) => lane.type === 'air' && lane.phone === Math.max(0, event.phone));
}

class Timeline {
  constructor(box, select) {
    this.box = box;
    this.select = select;
    this.isReal = false;
    this.left = 0;
    this.selected = 0;
    this.shows = () => true;
    this.listen();
    new ResizeObserver(() => this.draw()).observe(box);
  }

  show(model) {
    this.model = model;
    Object.assign(this, makeLanes(model.run));
    model.events.forEach((event) => { event.lanes = lanesOf(event, this.lanes); });
    this.fit();
  }

  get places() { return this.isReal ? this.model.real : this.model.even; }
  get end() { return this.places[this.places.length - 1] || 1; }
  fit() {
    this.view = [-this.end * 0.01, this.end * 1.015];
    this.draw();
  }
  x(place) { return this.left + (place - this.view[0]) / (this.view[1] - this.view[0]) * (this.width - this.left); }
  place(x) { return this.view[0] + (x - this.left) / (this.width - this.left) * (this.view[1] - this.view[0]); }
  xOfEvent(index) {
    const row = index < this.model.rowOfEvent.length ? this.model.rowOfEvent[index] : this.places.length - 1;
    return this.x(this.places[row]);
  }

  setScale(isReal) {
    this.isReal = isReal;
    this.fit();
  }

  zoom(factor, x) {
    const selected = this.places[this.selected];
    const isSeen = selected >= this.view[0] && selected <= this.view[1];
    const middle = x !== undefined ? this.place(x) : isSeen ? selected : (this.view[0] + this.view[1]) / 2;
    const smallest = this.isReal ? 2 : 1;
    const whole = this.end * 1.025;
    const size = Math.min(whole, Math.max(Math.min(smallest, whole), (this.view[1] - this.view[0]) * factor));
    const start = middle - (middle - this.view[0]) * size / (this.view[1] - this.view[0]);
    this.move(start, size);
  }

  move(start, size) {
    const low = -this.end * 0.01, high = this.end * 1.015;
    start = Math.max(low, Math.min(start, high - size));
    this.view = [start, start + size];
    this.draw();
  }

  // Brings the selected moment into view.
  mark(row) {
    this.selected = row;
    const place = this.places[row], size = this.view[1] - this.view[0];
    if (place < this.view[0] || place > this.view[1]) this.move(place - size / 2, size); else this.draw();
  }

  draw() {
    if (!this.model || !this.box.clientWidth) return;
    this.width = this.box.clientWidth;
    this.isNarrow = this.width < 620;
    this.left = this.isNarrow ? 0 : 148;
    const root = svg('svg', { height: this.isNarrow ? this.height + this.lanes.length * 15 : this.height,
      'aria-hidden': 'true' }, this.definitions());
    this.back = svg('g', {});
    this.front = svg('g', {});
    this.labels = svg('g', {});
    root.append(this.back, this.front, this.labels);
    this.tops = new Map();
    this.findMarks();
    let extra = 0;
    for (const lane of this.lanes) {
      if (this.isNarrow && lane.type !== 'head') extra += 15;
      this.tops.set(lane, lane.top + extra);
      this.drawLane(lane, lane.top + extra);
    }
    root.setAttribute('height', this.height + extra);
    this.drawAxis(this.height + extra);
    this.drawMarks();
    this.drawCursor(this.height + extra);
    this.box.replaceChildren(root);
  }

  definitions() {
    const hatch = svg('pattern', { id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse',
      patternTransform: 'rotate(45)' },
      svg('rect', { width: 6, height: 6, fill: 'var(--suspended)' }),
      svg('rect', { width: 2, height: 6, fill: 'var(--line)' }));
    const clip = svg('clipPath', { id: 'area' },
      svg('rect', { x: this.left, y: 0, width: Math.max(0, this.width - this.left), height: 10000 }));
    return svg('defs', {}, hatch, clip);
  }

  drawLane(lane, top) {
    const isHead = lane.type === 'head';
    const label = svg('text', { x: isHead ? 0 : this.isNarrow ? 0 : 10, class: isHead ? 'head' : 'dim',
      y: isHead ? top + 18 : this.isNarrow ? top - 2 : top + lane.height / 2 + 4 });
    label.append(this.cut(lane.label, this.isNarrow ? this.width : 136));
    if (lane.title) label.append(svg('title', {}, lane.title));
    this.labels.append(label);
    if (isHead) {
      this.back.append(svg('line', { x1: 0, x2: this.width, y1: top + 2, y2: top + 2, class: 'rule' }));
      return;
    }
    const height = lane.height - 8;
    this.back.append(svg('rect', { x: this.left, y: top + 4, width: Math.max(0, this.width - this.left), height,
      rx: 4, class: 'track' }));
    const run = this.model.run;
    if (lane.type === 'steps') this.drawSteps(top + 4, height);
    if (lane.type === 'air') {
      const { air, off } = run.phones[lane.phone];
      for (const one of air) this.drawSpan(one, lane, top, height, 'onair', airName(run.airs[one[2]]));
      for (const one of off) this.drawSpan(one, lane, top, height, 'off', run.texts[one[2]]);
    }
    if (lane.type === 'app') {
      for (const one of run.phones[lane.phone].apps[lane.app].states) {
        const state = run.texts[one[2]];
        this.drawSpan(one, lane, top, height, state, stateName(state));
      }
    }
    if (lane.type === 'central') {
      this.drawActions(run.centrals[lane.central].name, top + lane.height - 4);
      for (const one of run.centrals[lane.central].links) {
        this.drawSpan(one, lane, top, height, 'linked', `connected to ${run.phones[one[2]].name}`);
      }
    }
  }

  drawSpan([from, to], lane, top, height, kind, label) {
    this.drawBand(this.xOfEvent(from), this.xOfEvent(to), top + 4, height, kind, label, lane);
  }

  drawBand(start, end, top, height, kind, label, lane) {
    if (end < this.left || start > this.width) return;
    const x = Math.max(start, this.left - 8), width = Math.max(1, Math.min(end, this.width + 8) - x - 1);
    this.back.append(svg('rect', { x, y: top, width, height, rx: 4, class: kind, 'clip-path': 'url(#area)' }));
    if (!label) return;
    const place = Math.max(x, this.left) + 14;
    const room = Math.min(x + width - place - 8, this.roomUntilMark(lane, place));
    if (room > 30) {
      const text = svg('text', { x: place, y: top + height / 2 + 4, class: 'bandtext' });
      text.append(this.cut(label, room));
      this.front.append(text);
    }
  }

  // A line below a central while it performs a step, such as a scan.
  drawActions(name, y) {
    this.eachStep((row, start, end) => {
      if (!row.step.text.startsWith(`${name} `) || row.step.outcome === 'skipped') return;
      this.back.append(svg('line', { x1: start + 1, x2: Math.max(start + 2, end - 1), y1: y, y2: y,
        class: 'action', 'clip-path': 'url(#area)' }, svg('title', {}, row.step.text)));
    });
  }

  eachStep(body) {
    let last = -1;
    this.model.rows.forEach((row, index) => {
      if (!row.step) return;
      if (last >= 0) body(this.model.rows[last], this.x(this.places[last]), this.x(this.places[index]));
      last = index;
    });
    if (last >= 0) body(this.model.rows[last], this.x(this.places[last]), this.x(this.end));
  }

  drawSteps(top, height) {
    this.eachStep((row, start, end) => {
      const isBad = row.step.outcome === 'failed' || row.step.outcome === 'error';
      if (end - start < 1.5 && !isBad) return;
      this.drawBand(start, end, top, height, `stepband${isBad ? ' bad' : ''}`, '');
      if (end - start < 18 || start < this.left - 4 || start > this.width) return;
      const text = svg('text', { x: start + 6, y: top + height / 2 + 4, class: 'dim' });
      text.append(this.cut(`${row.number} ${short(row.step.text)}`, end - start - 10));
      this.front.append(text);
    });
  }

  // The text has as many characters as fit; a character is about 6.3 wide.
  cut(text, room) {
    const count = Math.floor(room / 6.3);
    return text.length <= count ? text : count < 2 ? '' : `${[...text].slice(0, count - 1).join('')}…`;
  }
}

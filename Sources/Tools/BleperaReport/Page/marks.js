// The timeline: its axis, the marks of moments, the cursor, and pointers.

const airName = (air) => [air.name === undefined ? '' : `“${air.name}”`,
  short(air.uuids.join(' ')),
  air.overflow.length ? `overflow ${air.overflow.map((one) => one.bit).join(' ')}` : '']
  .filter((part) => part).join('  ') || 'no name, no services';
// The most important category of a place is drawn.
const RANK = ['problem', 'life', 'user', 'state', 'air', 'link', 'request', 'value'];

Object.assign(Timeline.prototype, {
  drawAxis(bottom) {
    const rows = this.model.rows, places = this.places;
    const first = Math.max(0, lowerBound(places, this.view[0]) - 1);
    const grid = (x) => this.back.prepend(
      svg('line', { x1: x, x2: x, y1: 20, y2: bottom, class: 'rule' }));
    const cursor = this.x(places[this.selected]);
    const put = (x, y, label, kind) => {
      if (kind === 'tick' && Math.abs(x - cursor) < 66) return;
      const text = svg('text', { x, y, class: `dim ${kind}`, 'text-anchor': 'middle' });
      text.append(label);
      this.labels.append(text);
    };
    if (this.isReal) {
      const size = this.view[1] - this.view[0], count = Math.max(2, (this.width - this.left) / 130);
      const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 3e5, 6e5, 18e5, 36e5, 72e5,
        216e5, 432e5, 864e5];
      const step = steps.find((one) => size / one <= count) || Math.ceil(size / count / 864e5) * 864e5;
      for (let time = Math.max(0, Math.ceil(this.view[0] / step) * step); time <= this.view[1]; time += step) {
        const x = this.x(time);
        if (x < this.left + 24 || x > this.width - 24) continue;
        grid(x);
        put(x, 14, clock(time), 'tick');
      }
      return;
    }
    let last = this.left - 60;
    for (let index = first; index < places.length && places[index] <= this.view[1]; index += 1) {
      const x = this.x(places[index]);
      const time = index < rows.length ? rows[index].time : this.model.run.length;
      if (index > 0) {
        const gap = time - rows[index - 1].time, before = this.x(places[index - 1]);
        const middle = (Math.max(before, this.left) + Math.min(x, this.width)) / 2;
        if (gap >= 1000 && x - before > 34) put(middle, 31, `+${span(gap)}`, 'gap');
      }
      if (x - last < 92 || x < this.left + 26 || x > this.width - 40) continue;
      grid(x);
      put(x, 14, clock(time), 'tick');
      last = x;
    }
  },

  // Makes one mark for some pixels of a lane; a mark with a vertical line stands for several moments.
  findMarks() {
    const cells = new Map(), size = this.isNarrow ? 10 : 9;
    const rows = this.model.rows, places = this.places;
    const end = lowerBound(places, this.view[1] + 1e-9);
    for (let index = lowerBound(places, this.view[0]); index < Math.min(end, rows.length); index += 1) {
      const event = rows[index].event;
      if (!event || !this.shows(index)) continue;
      const x = this.x(places[index]), slot = Math.floor(x / size);
      for (const lane of event.lanes) {
        const key = this.lanes.indexOf(lane) * 100000 + slot, cell = cells.get(key);
        if (!cell) {
          cells.set(key, { x, lane, event, count: 1 });
        } else {
          cell.count += 1;
          if (RANK.indexOf(event.category) < RANK.indexOf(cell.event.category)) cell.event = event;
        }
      }
    }
    this.marks = [...cells.values()];
  },

  // The room in a lane from a mark to the next one.
  roomUntilMark(lane, x) {
    return this.marks.reduce((room, mark) => mark.lane === lane && mark.x > x - 6
      ? Math.min(room, mark.x - x - 8) : room, 1e9);
  },

  drawMarks() {
    for (const { x, lane, event, count } of this.marks) {
      const y = this.tops.get(lane) + lane.height / 2;
      const group = svg('g', { class: `mark c-${event.category}`, transform: `translate(${x.toFixed(1)} ${y})` });
      const isBar = count > 4 && ['air', 'link', 'request', 'value'].includes(event.category);
      if (isBar) {
        const height = Math.min(20, 8 + 4 * Math.log10(count));
        group.append(svg('rect', { x: -4, width: 8, y: -height / 2, height, class: 'bar' }));
      } else {
        if (count > 1) group.append(svg('line', { x1: 0, x2: 0, y1: -11, y2: 11, class: 'many' }));
        group.append(glyph(shapeOf(event), isOpen(event)));
      }
      this.front.append(group);
    }
  },

  drawCursor(bottom) {
    const x = this.x(this.places[this.selected]);
    if (!(x >= this.left - 1 && x <= this.width + 1)) return;
    const label = clock(this.model.rows[this.selected].time), width = label.length * 6.6 + 12;
    const left = Math.max(0, Math.min(x - width / 2, this.width - width));
    const text = svg('text', { x: left + width / 2, y: 14, class: 'flagtext', 'text-anchor': 'middle' });
    text.append(label);
    this.labels.append(svg('line', { x1: x, x2: x, y1: 18, y2: bottom, class: 'cursor' }),
      svg('rect', { x: left, y: 1, width, height: 18, rx: 9, class: 'flag' }), text);
  },

  listen() {
    const box = this.box;
    let start = null;
    const local = (event) => event.clientX - box.getBoundingClientRect().left;
    box.addEventListener('pointerdown', (event) => {
      if (event.button) return;
      start = { x: local(event), from: this.view[0], size: this.view[1] - this.view[0], isMove: false };
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener('pointermove', (event) => {
      if (!start) return;
      const distance = local(event) - start.x;
      if (Math.abs(distance) > 5) start.isMove = true;
      if (start.isMove) this.move(start.from - distance / (this.width - this.left) * start.size, start.size);
    });
    const finish = (event) => {
      if (start && !start.isMove && event.type === 'pointerup') this.pick(event);
      start = null;
    };
    box.addEventListener('pointerup', finish);
    box.addEventListener('pointercancel', finish);
    box.addEventListener('wheel', (event) => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        this.zoom(Math.exp(event.deltaY * 0.004), local(event));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        const size = this.view[1] - this.view[0];
        this.move(this.view[0] + event.deltaX / (this.width - this.left) * size, size);
      }
    }, { passive: false });
  },

  // Selects the nearest mark of the lane, or the last moment before the place.
  pick(event) {
    const box = this.box.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const lane = this.lanes.find((one) => {
      const top = this.tops.get(one) - (this.isNarrow && one.type !== 'head' ? 14 : 0);
      return y >= top && y < this.tops.get(one) + one.height;
    });
    const rows = this.model.rows, places = this.places;
    let best = -1, nearest = 10;
    const from = lowerBound(places, this.place(x - 10)), to = lowerBound(places, this.place(x + 10));
    for (let index = from; index < Math.min(to, rows.length); index += 1) {
      const isHere = rows[index].step ? lane && lane.type === 'steps' : rows[index].event.lanes.includes(lane);
      const distance = Math.abs(this.x(places[index]) - x);
      if (isHere && this.shows(index) && distance < nearest) [best, nearest] = [index, distance];
    }
    if (best < 0) {
      best = Math.min(rows.length, lowerBound(places, this.place(x))) - 1;
      if (lane && lane.type === 'steps') while (best > 0 && !rows[best].step) best -= 1;
    }
    this.select(Math.max(0, best));
  }
});

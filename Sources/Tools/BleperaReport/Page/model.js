// Elements, formats, and the moments of a run.

const data = JSON.parse(document.getElementById('data').textContent);
const byId = (id) => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';

// The text of a trace only ever becomes text nodes and attribute values.
function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== null) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== null));
  return node;
}
function svg(name, attributes, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
function plural(count, noun) { return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`; }
function clock(ms) {
  const part = (number, width) => String(Math.floor(number)).padStart(width, '0');
  const rest = `${part(ms / 1000 % 60, 1)}.${part(ms % 1000, 3)}`;
  if (ms < 60000) return `${rest} s`;
  const minutes = `${part(ms / 60000 % 60, ms < 3600000 ? 1 : 2)}:${rest.padStart(6, '0')}`;
  return ms < 3600000 ? minutes : `${part(ms / 3600000, 1)}:${minutes}`;
}
function span(ms) {
  const round = (value) => String(Math.round(value * 10) / 10);
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60000) return `${round(ms / 1000)} s`;
  if (ms < 3600000) return `${round(ms / 60000)} min`;
  return ms < 172800000 ? `${round(ms / 3600000)} h` : `${round(ms / 86400000)} days`;
}
const bytes = (hex) => (hex.match(/../g) || []).join(' ');
// Shortens a UUID of 128 bits to its ends, by which it is recognized.
const short = (text) => text.replace(/([0-9A-F]{8})-(?:[0-9A-F]{4}-){3}[0-9A-F]{8}([0-9A-F]{4})/g, '$1…$2');
const stateName = (state) => state === 'notRunning' ? 'not running' : state;
const shortApp = (id) => id.split('.').pop() || id;

const CATEGORIES = [
  ['user', 'User', 'the user’s actions, such as a move to the background'],
  ['state', 'App state', 'changes of an app’s state'],
  ['life', 'Kills, restorations', 'apps that end and are relaunched'],
  ['air', 'On the air', 'advertisements, services and Bluetooth itself'],
  ['link', 'Connections', 'connections, pairings and subscriptions'],
  ['request', 'Requests', 'reads and writes; open where refused'],
  ['value', 'Notifications', 'values that apps send'],
  ['problem', 'Problems', 'what failed']
];
// The outlines of the shapes, in a square of 10 around the origin.
const SHAPES = {
  user: 'M-4 -4 H4 L0 4 Z', state: 'M-4 -4 H4 V4 H-4 Z', life: 'M-4 -4 L4 4 M4 -4 L-4 4',
  air: 'M0 -5 L5 0 L0 5 L-5 0 Z', link: 'M-5 0 H5 M-5 -4 V4 M5 -4 V4', request: 'M0 -4.5 L4.5 4 H-4.5 Z',
  value: 'M-4 0 A4 4 0 1 0 4 0 A4 4 0 1 0 -4 0 Z', problem: 'M0 -5 V1 M0 4 V4.6', step: 'M-4 0 H4',
  keep: 'M-4 -4 V4 H4 V-4', back: 'M4 .5 A4 4 0 1 1 0 -3.5 H3 M.5 -6 L3 -3.5 L.5 -1'
};
const LINES = ['life', 'link', 'keep', 'back', 'problem', 'step'];
// The shape of a kind: the shape of its category, except for preserved and relaunched apps.
const KIND_SHAPES = { preserved: 'keep', relaunching: 'back', restored: 'back' };
const shapeOf = (event) => KIND_SHAPES[event.kind.id] || event.category;
const isOpen = (event) => event.category === 'request' && event.isProblem;
function glyph(shape, isHollow) {
  const kind = LINES.includes(shape) ? ' lines' : isHollow ? ' open' : '';
  return svg('path', { d: SHAPES[shape], class: `glyph${kind}` });
}
function icon(category, shape, isHollow) {
  const frame = { viewBox: '-7 -7 14 14', width: 14, height: 14, class: `c-${category}`, 'aria-hidden': true };
  return svg('svg', frame, glyph(shape || category, isHollow));
}

function readEvent(list, run) {
  const [time, line, phone, app, kind, label, details, centrals, rules, fields, problem] = list;
  return { time, line, phone, app, kind: run.kinds[kind], category: run.kinds[kind].category,
    label: run.texts[label], details: run.texts[details], centrals, rules, fields, isProblem: problem === 1 };
}

// The moments of a run: steps and events in their order, each with its place on both scales.
function makeModel(run) {
  const events = run.events.map((list) => readEvent(list, run));
  const rows = [];
  let step = 0;
  const addSteps = (index) => {
    for (; step < run.steps.length && run.steps[step].first <= index; step += 1) {
      const last = (step + 1 < run.steps.length ? run.steps[step + 1].first : events.length) - 1;
      rows.push({ step: run.steps[step], number: step + 1, after: last, category: 'step',
        time: Math.max(run.steps[step].start, rows.length ? rows[rows.length - 1].time : 0) });
    }
  };
  events.forEach((event, index) => {
    addSteps(index);
    const before = rows.length ? rows[rows.length - 1].time : 0;
    rows.push({ event, after: index, category: event.category, time: Math.max(event.time, before) });
  });
  addSteps(events.length);
  const even = [];
  let place = 0, before = 0;
  const rowOfEvent = [];
  rows.forEach((row, index) => {
    place += row.time > before ? Math.log2(2 + row.time - before) : (index ? 0.5 : 0);
    before = row.time;
    even.push(place);
    if (row.event) rowOfEvent.push(index);
  });
  even.push(place + (run.length > before ? Math.log2(2 + run.length - before) : 1));
  const real = rows.map((row) => row.time).concat([Math.max(run.length, 1)]);
  return { run, events, rows, even, real, rowOfEvent };
}

// The values of the spans that hold after an event.
const holding = (spans, index) => spans.filter(([from, to]) => from <= index && index < to).map((one) => one[2]);

// The index of the first of the ascending numbers that is at least the value.
function lowerBound(numbers, value) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

// The overview, the filter, the fragment of the address, and the keyboard.

const hidden = new Set();
let model, current = 0, selected = 0;

const details = new Details(byId('details'), (index) => fragment(index));
const timeline = new Timeline(byId('timeline'), (index) => select(index));
const moments = new Moments(byId('list'), byId('rows'), (index) => select(index));

// `#line-13` or `#step-3`; of several runs `#run-2/line-13`.
function fragment(index) {
  const row = model.rows[index];
  if (!row) return '#';
  const place = row.event ? `line-${row.event.line}` : `step-${row.number}`;
  return data.runs.length > 1 ? `#run-${current + 1}/${place}` : `#${place}`;
}

// The run and the moment of the address; the number is undefined if the address names no moment.
function addressed() {
  const match = /^#(?:run-(\d+))?\/?(?:(line|step)-(\d+))?$/.exec(location.hash);
  const run = match && match[1] ? Math.min(data.runs.length, Math.max(1, Number(match[1]))) - 1 : 0;
  if (!match || !match[2]) return { run };
  return { run, isStep: match[2] === 'step', number: Number(match[3]) };
}

function rowOf({ isStep, number }) {
  if (number === undefined) return -1;
  return model.rows.findIndex((row) => isStep ? row.number === number : row.event && row.event.line === number);
}

function follow() {
  const wanted = addressed();
  if (!model || wanted.run !== current) show(wanted.run);
  const row = rowOf(wanted);
  const failed = model.rows.findIndex((one) => one.step && /failed|error/.test(one.step.outcome));
  select(row >= 0 ? row : Math.max(0, failed), row < 0);
}

function select(index, isQuiet) {
  if (!model.rows.length) return;
  selected = index;
  timeline.mark(index);
  moments.mark(index);
  details.show(model, index);
  const row = model.rows[index], box = byId('timeline');
  box.setAttribute('aria-valuenow', index + 1);
  box.setAttribute('aria-valuetext', `${clock(row.time)} ${row.event ? `${row.event.label} ${row.event.details}`
    : row.step.text}`);
  if (!isQuiet) history.replaceState(null, '', fragment(index));
}

function show(index) {
  current = index;
  const run = data.runs[index];
  model = makeModel(run);
  document.title = `${run.title} – blepera report`;
  byId('title').textContent = run.title;
  byId('source').textContent = [run.source, `iOS ${run.ios}`,
    { bluez: 'bluetoothd', virtual: 'virtual radio', controller: 'controller' }[run.radio] ?? '',
    `begun ${run.begun.slice(0, 19).replace('T', ' ')} UTC`, `blepera ${data.blepera}`]
    .filter((part) => part).join('  ·  ');
  byId('timeline').setAttribute('aria-valuemin', 1);
  byId('timeline').setAttribute('aria-valuemax', Math.max(1, model.rows.length));
  overview(run);
  legend(run);
  moments.show(model);
  filter();
  timeline.show(model);
  document.querySelectorAll('#runs a').forEach((link, number) => {
    if (number === index) link.setAttribute('aria-current', 'true'); else link.removeAttribute('aria-current');
  });
}

const verdict = (run) => !run.steps.length ? ''
  : run.steps.every((step) => step.outcome === 'passed') ? 'passed' : 'failed';

function runs() {
  if (data.runs.length < 2) return;
  const box = byId('runs');
  box.hidden = false;
  data.runs.forEach((run, index) => {
    const result = verdict(run);
    box.append(el('a', { href: `#run-${index + 1}` }, el('b', { class: result }, result ? `${result}  ` : ''),
      el('span', { class: 'text' }, run.title)));
  });
}

function overview(run) {
  const box = byId('overview'), counts = run.counts;
  const apps = run.phones.reduce((sum, phone) => sum + phone.apps.length, 0);
  const number = (value) => value.toLocaleString('en-US');
  const numbers = [['Duration', span(run.length)], ['Phones', number(run.phones.length)], ['Apps', number(apps)],
    ['Centrals', number(run.centrals.length)], ['Requests', number(counts.requests),
      counts.refused ? ` ${number(counts.refused)} refused` : ''], ['Notifications', number(counts.notifications)],
    ['Kills', number(counts.kills)], ['Restorations', number(counts.restorations)]];
  if (counts.problems) numbers.push(['Problems', number(counts.problems)]);
  const list = el('dl', {});
  for (const [name, value, small] of numbers) {
    list.append(el('div', {}, el('dt', {}, name), el('dd', {}, value, small ? el('small', {}, small) : '')));
  }
  box.replaceChildren();
  const result = verdict(run), bad = run.steps.findIndex((step) => /failed|error/.test(step.outcome));
  if (result) {
    box.append(el('p', { class: `verdict ${result}` }, result === 'passed'
      ? `Passed, ${plural(run.steps.length, 'step')}` : `Failed at step ${bad + 1} of ${run.steps.length}`));
  }
  if (bad >= 0) {
    const place = data.runs.length > 1 ? `#run-${current + 1}/step-${bad + 1}` : `#step-${bad + 1}`;
    box.append(el('div', { class: 'callout' }, el('a', { href: place }, `Step ${bad + 1}`),
      `: ${run.steps[bad].text}`, el('br'), run.steps[bad].reason || ''));
  }
  if (run.omitted) {
    const omitted = `${plural(run.omitted, 'later event')} did not fit into this page.`;
    box.append(el('p', { class: 'callout mild' }, omitted));
  }
  box.append(list);
}

// The legend shows and hides the moments of a category.
function legend(run) {
  const used = new Set(model.rows.map((row) => row.category)), box = byId('legend');
  box.replaceChildren();
  for (const [id, name, meaning] of CATEGORIES) {
    if (!used.has(id)) continue;
    const button = el('button', { type: 'button', 'data-category': id, title: meaning,
      'aria-pressed': String(!hidden.has(id)) }, icon(id), id === 'life' ? icon(id, 'back') : '', name);
    button.addEventListener('click', () => {
      if (!hidden.delete(id)) hidden.add(id);
      button.setAttribute('aria-pressed', String(!hidden.has(id)));
      filter();
    });
    box.append(button);
  }
  const states = new Set(run.phones.flatMap((phone) => phone.apps.flatMap((app) =>
    app.states.map((one) => run.texts[one[2]]))));
  for (const state of ['foreground', 'inactive', 'background', 'suspended', 'notRunning']) {
    if (states.has(state)) box.append(el('span', { class: 'swatch' }, el('i', { class: state }), stateName(state)));
  }
}

function filter() {
  const words = byId('filter').value.toLowerCase().split(/\s+/).filter((word) => word);
  const shown = moments.filter(words, hidden), all = model.rows.length;
  const visible = new Set(shown);
  timeline.shows = (index) => visible.has(index);
  byId('count').textContent = shown.length === all ? plural(all, 'moment')
    : `${shown.length.toLocaleString('en-US')} of ${plural(all, 'moment')}`;
  timeline.draw();
  moments.mark(selected);
}

function clear() {
  byId('filter').value = '';
  hidden.clear();
  legend(model.run);
  filter();
}

const MOVES = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -1e9,
  End: 1e9 };
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const focus = document.activeElement, isFilter = focus === byId('filter');
  if (event.key === 'Escape') {
    clear();
    if (isFilter) byId('list').focus();
  } else if (isFilter) {
    if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
    byId('list').focus();
    if (moments.shown.length && !moments.shown.includes(selected)) select(moments.shown[0]);
  } else if (event.key === '/') byId('filter').focus();
  else if (event.key === '+' || event.key === '=') timeline.zoom(0.6);
  else if (event.key === '-') timeline.zoom(1 / 0.6);
  else if (event.key === '0') timeline.fit();
  else if (event.key in MOVES && [byId('list'), byId('timeline')].includes(focus)) {
    select(moments.neighbor(MOVES[event.key]));
  } else return;
  event.preventDefault();
});
byId('filter').addEventListener('input', filter);
byId('in').addEventListener('click', () => timeline.zoom(0.6));
byId('out').addEventListener('click', () => timeline.zoom(1 / 0.6));
byId('fit').addEventListener('click', () => timeline.fit());
byId('scale').addEventListener('click', () => {
  timeline.setScale(!timeline.isReal);
  byId('scale').setAttribute('aria-pressed', String(timeline.isReal));
});
window.addEventListener('hashchange', follow);
runs();
follow();
byId('list').focus({ preventScroll: true });

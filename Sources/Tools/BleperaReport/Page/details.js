// The details of a moment: what happened, by which rule, and what is the case after it.

const readable = (hex) => {
  const text = (hex.match(/../g) || []).map((byte) => parseInt(byte, 16));
  return text.length > 1 && text.every((byte) => byte >= 32 && byte < 127) ? String.fromCharCode(...text) : '';
};

class Details {
  constructor(box, link) {
    this.box = box;
    this.link = link;
  }

  show(model, index) {
    this.model = model;
    const { step, event, time, after } = model.rows[index];
    const parts = [el('p', { class: 'when' }, el('span', {}, `${clock(time)}  ·  ${this.date(time)}`),
      el('a', { href: this.link(index), title: 'A link to this moment' },
        event ? `line ${event.line}` : `step ${model.rows[index].number}`))];
    parts.push(...(step ? this.step(step, model.rows[index].number) : this.event(event)));
    model.run.phones.forEach((phone, number) => parts.push(this.phone(phone, number, event, after)));
    this.box.replaceChildren(...parts);
    this.box.scrollTop = 0;
  }

  date(time) {
    return new Date(Date.parse(this.model.run.begun) + time).toISOString().replace('T', ' ').replace('Z', ' UTC');
  }

  step(step, number) {
    const parts = [el('h2', {}, icon('step'), `Step ${number}`), el('p', { class: 'text' }, step.text)];
    if (step.note) parts.push(el('p', { class: 'meaning text' }, step.note));
    parts.push(el('p', { class: `verdict ${step.outcome}` }, step.outcome));
    if (step.reason) parts.push(el('p', { class: 'callout' }, step.reason));
    if (step.trace) parts.push(el('h3', {}, 'Events before the failure'), el('pre', { class: 'mono' },
      step.trace.join('\n')));
    parts.push(this.fields([['Takes', `${span(step.end - step.start)}, to ${clock(step.end)}`],
      ['Line of the file', String(step.line)]]));
    return parts;
  }

  event(event) {
    const texts = this.model.run.texts, pairs = [];
    for (let place = 0; place < event.fields.length; place += 2) {
      pairs.push([texts[event.fields[place]], texts[event.fields[place + 1]]]);
    }
    if (event.phone >= 0 && this.model.run.phones.length > 1) {
      pairs.unshift(['Phone', this.model.run.phones[event.phone].name]);
    }
    const label = event.label[0].toUpperCase() + event.label.slice(1);
    const parts = [el('h2', {}, icon(event.category, shapeOf(event), isOpen(event)),
      el('span', { class: 'text' }, label)), el('p', { class: 'meaning' }, event.kind.meaning)];
    if (pairs.length) parts.push(this.fields(pairs));
    for (const number of event.rules) {
      const rule = data.rules.find((one) => one.number === number);
      if (rule) {
        parts.push(el('div', { class: 'rulecard' }, el('b', {}, `R${number} ${rule.name}`), ` ${rule.meaning}`,
          el('span', { class: 'dim' }, `Applies to ${rule.scope}.`)));
      }
    }
    return parts;
  }

  fields(pairs) {
    const list = el('dl', { class: 'fields' });
    for (const [name, value] of pairs) {
      const shown = name === 'Value' ? this.value(value) : this.named(name, value);
      list.append(el('dt', {}, name), el('dd', {}, shown));
    }
    return list;
  }

  value(hex) {
    if (!hex) return '(empty)';
    const text = readable(hex), count = hex.length / 2;
    return el('span', {}, el('code', {}, bytes(hex)), text ? `  “${text}”` : '',
      count > 4 ? el('span', { class: 'dim' }, `  ${plural(count, 'byte')}`) : '');
  }

  named(name, value) {
    if (name !== 'Central' && name !== 'Centrals') return value;
    const known = this.model.run.centrals;
    return value.split(' ').map((address) => {
      const central = known.find((one) => one.address === address);
      return central && central.name && central.name !== address ? `${central.name} (${address})` : address;
    }).join(', ');
  }

  // The state of a phone after an event.
  phone(phone, number, event, after) {
    const run = this.model.run;
    const isOpen = run.phones.length === 1 || !event || event.phone === number;
    const box = el('details', { class: 'phone', 'data-phone': number });
    box.open = isOpen;
    const when = event ? 'at this moment' : 'after this step';
    const title = run.phones.length > 1 ? `${phone.name} ${when}` : when[0].toUpperCase() + when.slice(1);
    box.append(el('summary', {}, title));
    const apps = el('div', { class: 'chips' });
    for (const app of phone.apps) {
      const state = holding(app.states, after).map((one) => run.texts[one])[0] || 'notRunning';
      const label = `${shortApp(app.id)}: ${stateName(state)}`;
      apps.append(el('span', { class: `chip ${state}`, title: app.id }, label));
    }
    box.append(apps);
    const off = holding(phone.off, after)[0], air = holding(phone.air, after)[0];
    box.append(el('h3', {}, 'On the air'));
    if (off !== undefined) box.append(el('p', {}, `Nothing: ${run.texts[off]}.`));
    else if (air === undefined) box.append(el('p', {}, 'Nothing is advertised.'));
    else box.append(...this.air(run.airs[air]));
    box.append(el('h3', {}, 'Connections'), this.connections(number, after));
    return box;
  }

  connections(number, after) {
    const run = this.model.run, list = el('ul', { class: 'plain' });
    for (const central of run.centrals) {
      const isLinked = holding(central.links, after).includes(number);
      const subscribed = holding(central.subscriptions, after).map((one) => run.texts[one])
        .filter((text) => text.startsWith(`${run.phones[number].name}  `))
        .map((text) => text.slice(run.phones[number].name.length + 2));
      if (!isLinked && !subscribed.length) continue;
      list.append(el('li', {}, central.name || central.address || 'central',
        subscribed.length ? `, subscribed to ${subscribed.join(', ')}` : ''));
    }
    return list.childElementCount ? list : el('p', {}, 'No central is connected.');
  }

  air(air) {
    const parts = [];
    const isHonored = air.isHonored === false ? '; the radio does not apply it' : '';
    if (air.interval) parts.push(el('p', {}, `Sent ${air.interval}, the ${air.kind} interval${isHonored}.`));
    if (!['virtual', 'controller'].includes(this.model.run.radio) && air.packets.length) {
      parts.push(el('p', { class: 'dim' }, 'The packets are an iPhone’s; bluetoothd sends what it can of them.'));
    }
    if (!air.packets.length) {
      parts.push(el('p', { class: 'dim' }, 'The trace has no packets; those of this blepera do.'));
      parts.push(this.fields([['Local name', air.name === undefined ? 'none' : air.name],
        ['Service UUIDs', air.uuids.join(', ') || 'none']]));
    }
    for (const { title, content } of air.packets) parts.push(this.packet(title, content));
    parts.push(el('h3', {}, 'Overflow area'), ...this.overflow(air));
    if (air.reasons.length) {
      parts.push(el('h3', {}, 'Why'), el('ul', { class: 'plain' }, ...air.reasons.map((one) => el('li', {}, one))));
    }
    return parts;
  }

  packet(title, content) {
    const table = el('table', {});
    for (const structure of content.structures) {
      table.append(el('tr', {}, el('td', { class: 'mono' }, el('span', { class: 'head' },
        bytes(structure.hex.slice(0, 4))), ` ${bytes(structure.hex.slice(4))}`),
      el('td', { class: 'text' }, structure.text)));
    }
    return el('div', { class: 'packet' }, el('div', { class: 'name' }, el('span', {}, title),
      el('span', {}, content.length ? `${content.length} of 31 bytes` : 'empty')), table);
  }

  // A column for each byte in the order on the air, a row for each bit of a byte.
  overflow(air) {
    if (!air.overflow.length) return [el('p', {}, 'No bit is set.')];
    const set = new Set(air.overflow.map((one) => one.bit)), numbers = [...Array(16).keys()];
    const label = `128 bits; set: ${[...set].join(', ')}`;
    const table = el('table', { class: 'grid', role: 'img', 'aria-label': label },
      el('tr', {}, el('th', {}), ...numbers.map((byte) => el('th', {}, String(byte)))));
    for (let row = 0; row < 8; row += 1) {
      const cells = numbers.map((byte) => {
        const bit = byte * 8 + row;
        return el('td', { 'data-bit': bit, class: set.has(bit) ? 'set' : null, title: `bit ${bit}` },
          set.has(bit) ? String(bit) : '');
      });
      table.append(el('tr', {}, el('th', {}, (1 << row).toString(16).toUpperCase().padStart(2, '0')), ...cells));
    }
    const list = el('ul', { class: 'bits' }, ...air.overflow.map((one) => el('li', {},
      el('b', {}, `bit ${one.bit}`), `  ${one.uuids.join(' and ') || 'set by an unknown UUID'}`)));
    return [table, list, el('p', { class: 'dim' }, 'Columns are bytes, rows bits of a byte: ',
      el('code', {}, air.mask))];
  }
}

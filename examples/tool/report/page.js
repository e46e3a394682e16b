'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';
const TITLE = 22, LINE = 17, PAD = 8;          // as in report_picture.hpp
const FEW = 700;                               // more blocks than this are drawn only where they are seen
const MARKS = {'+': 'new', '~': 'changed', '>': 'moved', '-': 'gone'};
const TOKEN = /[%$][A-Za-z0-9_.]+|@[A-Za-z0-9_.]+|[A-Za-z_][A-Za-z0-9_.]*|-?(?:0x)?[0-9][A-Za-z0-9.+]*|[^%$@A-Za-z0-9_]+/g;

// `text` and nothing else becomes text of an element: names may hold anything.
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (k === 'onclick') e.addEventListener('click', v);
    else if (v !== undefined && v !== null && v !== false) e.setAttribute(k, v);
  }
  e.append(...children.filter(c => c !== null && c !== undefined));
  return e;
}
function svg(tag, attributes, text) {
  const e = document.createElementNS(SVG, tag);
  for (const [k, v] of Object.entries(attributes)) if (v !== undefined) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  return e;
}
const plural = (n, one, many) => n + ' ' + (n === 1 ? one : many || one + 's');

// State. It is in the address too: #p=0&s=2&b=3&v=%25x&pin=3
const state = {p: 0, s: 0, block: null, value: null, loop: null, pin: null, scale: 1, x: 0, y: 0};
let shown = null;       // the step on the screen
let painted = null;     // what of it is drawn: null for all

// A step that changed nothing shows the one before, without marks.
function stepOf(p, s) {
  const all = data.procedures[p].steps;
  let from = s;
  while (all[from].same) --from;
  const step = all[from], plain = from !== s;
  if (!step.index) {
    step.index = new Map(step.blocks.map(b => [b.i, b]));
    step.names = new Map(step.blocks.map(b => [b.n, b]));
    step.out = new Map(); step.into = new Map();
    for (const e of step.edges) {
      (step.out.get(e.s) || step.out.set(e.s, []).get(e.s)).push(e);
      (step.into.get(e.t) || step.into.set(e.t, []).get(e.t)).push(e);
    }
  }
  return {step, plain, own: all[s]};
}
const marksOf = step => {
  const n = {'+': 0, '~': 0, '>': 0, '-': 0};
  for (const b of step.blocks || []) for (const o of b.o || []) if (o[2] && n[o[2]] !== undefined) ++n[o[2]];
  return n;
};
const changesOf = step => { const n = marksOf(step); return n['+'] + n['~'] + n['>'] + n['-'] + (step.gone || []).length; };

// The list of procedures.
const rows = [];
function makeList() {
  data.procedures.forEach((p, i) => {
    const first = p.steps[0];
    const deep = first.loops.reduce((most, l) => Math.max(most, l.d), 0);
    const li = el('li', {title: p.name + ': ' + plural(first.blocks.length, 'block') + ', ' + plural(first.loops.length, 'loop') + (deep > 1 ? ', depth ' + deep : ''), onclick: () => go({p: i})},
      el('b', {}, p.name), el('small', {}, String(first.blocks.length)));
    rows.push(li);
    $('list').append(li);
  });
  $('file').textContent = data.file;
  search();
}
function search() {
  const words = $('search').value.toLowerCase();
  let found = 0;
  rows.forEach((li, i) => {
    const hit = data.procedures[i].name.toLowerCase().includes(words);
    li.hidden = !hit;
    li.style.display = hit ? '' : 'none';
    found += hit;
  });
  $('count').textContent = (words ? found + ' of ' : '') +
    plural(data.procedures.length, data.kind === 'cfg' ? 'function' : 'procedure');
  return found;
}
function neighbour(direction) {
  for (let i = state.p + direction; i >= 0 && i < rows.length; i += direction) if (!rows[i].hidden) return go({p: i});
}

// Moves to a procedure, step, block or value.
function go(to) {
  if (!data.procedures.length) return;
  const other = to.p !== undefined && to.p !== state.p;
  const anchor = other ? null : anchorBlock();
  const at = anchor && {x: anchor.x * state.scale + state.x, y: anchor.y * state.scale + state.y, i: anchor.i};
  if (other) Object.assign(state, {block: null, value: null, loop: null, pin: null});
  Object.assign(state, to);
  const all = data.procedures[state.p].steps;
  state.s = Math.max(0, Math.min(state.s, all.length - 1));
  const was = shown;
  shown = stepOf(state.p, state.s);
  if (!was || other) fit();
  else if (at && shown.step.index.has(at.i)) { // the block stays where it is on the screen
    const b = shown.step.index.get(at.i);
    state.x = at.x - b.x * state.scale;
    state.y = at.y - b.y * state.scale;
  }
  paint();
  panels();
  remember();
}
function anchorBlock() {
  if (!shown) return null;
  const {index, blocks} = shown.step;
  return index.get(state.pin) || index.get(state.block) || blocks[0] || null;
}
function remember() {
  const parts = ['p=' + state.p, 's=' + state.s];
  if (state.block !== null) parts.push('b=' + state.block);
  if (state.value !== null) parts.push('v=' + encodeURIComponent(state.value));
  if (state.pin !== null) parts.push('pin=' + state.pin);
  const hash = '#' + parts.join('&');
  if (location.hash !== hash) try { history.replaceState(null, '', hash); } catch (e) { /* some viewers forbid it */ }
}
function recall() {
  const to = {p: 0, s: 0, block: null, value: null, pin: null};
  for (const part of location.hash.slice(1).split('&')) {
    const [k, v] = part.split('=');
    const n = parseInt(v, 10);
    if (k === 'p' && n >= 0 && n < data.procedures.length) to.p = n;
    if (k === 's' && n >= 0) to.s = n;
    if (k === 'b' && n >= 0) to.block = n;
    if (k === 'pin' && n >= 0) to.pin = n;
    if (k === 'v') try { to.value = decodeURIComponent(v); } catch (e) { /* not ours */ }
  }
  return to;
}

// The picture.
function place() {
  $('world').setAttribute('transform', `translate(${state.x} ${state.y}) scale(${state.scale})`);
  $('scale').textContent = (state.scale < 0.01 ? '<1' : Math.round(state.scale * 100)) + '%';
}
function seen(margin) {
  const r = $('view').getBoundingClientRect();
  const s = state.scale, w = r.width / s, h = r.height / s;
  const x = -state.x / s, y = -state.y / s;
  return {x0: x - margin * w, y0: y - margin * h, x1: x + w + margin * w, y1: y + h + margin * h};
}
const meets = (a, x, y, w, h) => x < a.x1 && x + w > a.x0 && y < a.y1 && y + h > a.y0;
function moved() {
  place();
  if (!painted) return;
  const v = seen(0);
  if (v.x0 < painted.x0 || v.x1 > painted.x1 || v.y0 < painted.y0 || v.y1 > painted.y1 ||
      painted.text !== (state.scale > 0.3)) paint();
}
function fit() {
  const r = $('view').getBoundingClientRect(), {w, h} = shown.step;
  const scale = Math.min(1, (r.width - 60) / Math.max(w, 1), (r.height - 70) / Math.max(h, 1));
  state.scale = Math.max(scale, 0.0005);
  if (state.scale < 0.45 && !fit.whole) { // a large graph begins at its entry, to be read
    state.scale = 0.75;
    const b = shown.step.blocks[0];
    state.x = r.width / 2 - (b ? b.x + b.w / 2 : 0) * state.scale;
    state.y = 24;
  } else {
    state.x = (r.width - w * state.scale) / 2;
    state.y = Math.max(24, (r.height - h * state.scale) / 2 - 10);
  }
}
function zoom(by, cx, cy) {
  const r = $('view').getBoundingClientRect();
  const x = cx === undefined ? r.width / 2 : cx, y = cy === undefined ? r.height / 2 : cy;
  const next = Math.max(0.0005, Math.min(3, state.scale * by));
  state.x = x - (x - state.x) * next / state.scale;
  state.y = y - (y - state.y) * next / state.scale;
  state.scale = next;
  moved();
}
function centre(b) {
  const r = $('view').getBoundingClientRect();
  const x = b.x * state.scale + state.x, y = b.y * state.scale + state.y;
  if (x < 0 || y < 0 || x + Math.min(b.w, 100) * state.scale > r.width || y + Math.min(b.h, 60) * state.scale > r.height) {
    if (state.scale < 0.5) state.scale = 0.8;
    state.x = r.width / 2 - (b.x + b.w / 2) * state.scale;
    state.y = r.height / 3 - b.y * state.scale;
  }
}
function colourOf(b) {
  const mode = $('colour').value;
  if (mode === 'heat') return b.heat === undefined ? 'var(--d0)' : `hsl(${46 - b.heat * 0.34} ${40 + b.heat * 0.5}% ${92 - b.heat * 0.28}%)`;
  return mode === 'none' ? 'var(--d0)' : `var(--d${Math.min(b.d, 5)})`;
}
function paint() {
  const world = $('world'), {step, plain} = shown;
  const all = step.blocks.length <= FEW;
  const text = all || state.scale > 0.3;
  painted = all ? null : Object.assign(seen(1), {text});
  const parts = document.createDocumentFragment();
  step.loops.forEach((l, i) => {
    if (painted && !meets(painted, l.x, l.y, l.w, l.h)) return;
    parts.append(svg('rect', {class: 'loop-box' + (state.loop === i ? ' on' : ''), x: l.x + .5, y: l.y + .5, width: l.w, height: l.h, rx: 8}));
    if (text) parts.append(svg('text', {class: 'loop-title', x: l.x + 9, y: l.y + 14}, 'loop ' + l.name + (l.endless ? ', no exit' : '')));
  });
  const labels = document.createDocumentFragment();
  for (const e of step.edges) {
    const p = e.p, n = p.length;
    if (painted) {
      let x0 = p[0], x1 = p[0], y0 = p[1], y1 = p[1];
      for (let i = 2; i < n; i += 2) {
        x0 = Math.min(x0, p[i]); x1 = Math.max(x1, p[i]); y0 = Math.min(y0, p[i + 1]); y1 = Math.max(y1, p[i + 1]);
      }
      if (!meets(painted, x0, y0, x1 - x0 + 1, y1 - y0 + 1)) continue;
    }
    const on = state.block !== null && (e.s === state.block || e.t === state.block);
    const kind = on ? 'on' : e.k || 'plain';
    parts.append(svg('path', {class: 'edge ' + (e.k || '') + (on ? ' on' : ''), d: pathOf(p), 'marker-end': `url(#arrow-${kind})`}));
    if (e.l && text) {
      // At the right of the line if there is room before the next line.
      const room = Math.min(...step.out.get(e.s).map(o => o.p[0] - p[0]).filter(x => x > 0), Infinity);
      const left = room < e.l.length * 5.8 + 6 && p[n - 1] > p[1];
      labels.append(svg('text', {class: 'label', x: p[0] + (left ? -4 : 4), y: p[1] + 11, 'text-anchor': left ? 'end' : 'start'}, e.l));
    }
  }
  for (const b of step.blocks) if (!painted || meets(painted, b.x, b.y, b.w, b.h)) parts.append(blockOf(b, plain, text));
  parts.append(labels);
  world.replaceChildren(parts);
  place();
}
// A line with round corners, which ends before the point of its arrow.
function pathOf(p) {
  const n = p.length, r = 6;
  let d = `M${p[0]} ${p[1]}`;
  for (let i = 2; i < n - 2; i += 2) {
    const [ax, ay, bx, by, cx, cy] = [p[i - 2], p[i - 1], p[i], p[i + 1], p[i + 2], p[i + 3]];
    const before = Math.min(r, (Math.abs(ax - bx) + Math.abs(ay - by)) / 2), after = Math.min(r, (Math.abs(cx - bx) + Math.abs(cy - by)) / 2);
    d += `L${bx + Math.sign(ax - bx) * before} ${by + Math.sign(ay - by) * before}Q${bx} ${by} ${bx + Math.sign(cx - bx) * after} ${by + Math.sign(cy - by) * after}`;
  }
  return d + `L${p[n - 2]} ${p[n - 1] - 1}`;
}
function blockOf(b, plain, text) {
  const names = ['block'];
  if (b.dead) names.push('dead');
  if (b.unreachable) names.push('unreachable');
  if (b.m && !plain) names.push('fresh');
  if (b.i === state.block) names.push('on');
  if (b.i === state.pin) names.push('pinned');
  const g = svg('g', {class: names.join(' '), transform: `translate(${b.x} ${b.y})`, 'data-block': b.i});
  g.append(svg('rect', {class: 'body', width: b.w, height: b.h, rx: 6}));
  const lines = b.o || [], end = lines.length ? TITLE : b.h;
  g.append(svg('path', {class: 'title', d: `M1 ${end - .5}V6.5Q1 1 6.5 1H${b.w - 6.5}Q${b.w - 1} 1 ${b.w - 1} 6.5V${lines.length ? end - .5 + 'Z' : end - 6.5 + `Q${b.w - 1} ${end - 1} ${b.w - 6.5} ${end - 1}H6.5Q1 ${end - 1} 1 ${end - 6.5}Z`}`, style: `fill:${colourOf(b)}`}));
  if (!text) return g;
  g.append(svg('text', {class: 'name', x: PAD, y: 15.5}, (b.i === state.pin ? '\u25c6 ' : '') + b.n));
  if (b.note) g.append(svg('text', {class: 'note', x: b.w - PAD, y: 15, 'text-anchor': 'end'}, b.note));
  lines.forEach((o, i) => lineOf(g, b, o, TITLE + PAD / 2 + i * LINE, plain));
  return g;
}
function lineOf(g, b, o, y, plain) {
  const mark = plain ? undefined : MARKS[o[2]];
  if (mark) {
    g.append(svg('rect', {class: 'line-back ' + mark, x: 1, y, width: b.w - 2, height: LINE}));
    g.append(svg('text', {class: 'mark-' + mark, x: 4, y: y + 12.5}, {new: '+', changed: '~', moved: '\u2192', gone: '\u2212'}[mark]));
  }
  const t = svg('text', {x: PAD + 8, y: y + 12.5, class: mark === 'gone' ? 'gone' : undefined});
  const cut = o[1].length > data.longest ? o[1].slice(0, data.longest - 2) + '\u2026' : o[1];
  tokens(cut, (kind, word, isDefinition) => {
    const used = kind === 'v' && word === state.value ? (isDefinition ? ' def' : ' use') : '';
    const s = svg('tspan', kind ? {class: kind + used, 'data-value': kind === 'v' ? word : undefined, 'data-to': kind === 'b' ? word : undefined} : {}, word);
    t.append(s);
  });
  if (cut !== o[1] || o[3]) t.append(svg('title', {}, o[1] + (o[3] ? '\n' + o[3] : '')));
  g.append(t);
}
// Calls `f(kind, text, is it defined here)`: v a value, b a block, n a number, o an operation.
function tokens(text, f) {
  if (data.kind !== 'eir') return f('', text, false);
  const assigned = text.indexOf(' = ');
  const atStart = assigned > 0 && /^[%$][A-Za-z0-9_.]+$/.test(text.slice(0, assigned));
  let at = 0, opcode = false;
  for (const word of text.match(TOKEN) || []) {
    const c = word[0];
    if (c === '%' || c === '$') f('v', word, atStart && at === 0);
    else if (/[A-Za-z_]/.test(c) && !opcode && (!atStart || at > assigned)) { opcode = true; f('o', word, false); }
    else if (/[A-Za-z_]/.test(c) && shown.step.names.has(word)) f('b', word, false);
    else if (/[-0-9]/.test(c) && /[0-9]/.test(word)) f('n', word, false);
    else f('', word, false);
    at += word.length;
  }
}
function arrows() {
  const defs = document.querySelector('#flow defs');
  for (const [kind, colour] of [['plain', 'edge'], ['back', 'back-edge'], ['retreating', 'bad'], ['unreachable', 'faint'], ['on', 'accent']]) {
    const m = svg('marker', {id: 'arrow-' + kind, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto', markerUnits: 'userSpaceOnUse'});
    m.append(svg('path', {d: 'M0 0L8 4L0 8Z', style: `fill:var(--${colour})`}));
    defs.append(m);
  }
}

// The panels.
function panels() {
  rows.forEach((li, i) => li.classList.toggle('on', i === state.p));
  if (rows[state.p]) rows[state.p].scrollIntoView({block: 'nearest'});
  const procedure = data.procedures[state.p];
  $('head').replaceChildren(procedure.name, el('span', {}, shown.step.head || ''));
  $('head').title = $('head').textContent;
  document.title = procedure.name + ' \u2013 midend report';
  stepsPanel(procedure);
  selectionPanel();
  changesPanel(procedure);
  loopsPanel(procedure);
  dominatorsPanel();
  legend();
}
function stepsPanel(procedure) {
  $('passes').style.display = procedure.steps.length > 1 ? '' : 'none';
  $('slider').max = procedure.steps.length - 1;
  $('slider').value = state.s;
  $('steps').replaceChildren(...procedure.steps.map((s, i) => {
    const n = s.same ? 0 : changesOf(s);
    return el('li', {class: i === state.s ? 'on' : '', title: s.summary, onclick: () => go({s: i})},
      i === 0 ? 'as written' : s.pass, i === 0 ? null : el('i', {}, n ? '\u00b1' + n : 'no change'));
  }));
  const on = $('steps').children[state.s];
  if (on) on.scrollIntoView({block: 'nearest', inline: 'nearest'});
}
const link = (text, f) => el('a', {class: 'to', onclick: f}, text);
function blockLinks(ids) {
  const out = [];
  ids.forEach((i, k) => {
    const b = shown.step.index.get(i);
    if (k) out.push(', ');
    out.push(link(b ? b.n : String(i), () => goBlock(i)));
  });
  return out.length ? out : [el('span', {class: 'none'}, 'none')];
}
function goBlock(i) {
  const b = shown.step.index.get(i);
  if (!b) return;
  centre(b);
  go({block: i, value: null});
}
function rowsOf(pairs) {
  const dl = el('dl', {class: 'facts'});
  for (const [k, v] of pairs) if (v !== undefined && v !== null) dl.append(el('dt', {}, k), el('dd', {}, ...(Array.isArray(v) ? v : [v])));
  return dl;
}
function occurrences(name) {
  const found = {defs: [], uses: []};
  for (const b of shown.step.blocks) for (const o of b.o || []) {
    if (o[2] === '-' ) continue;
    let isDef = false, isUse = false;
    tokens(o[1], (kind, word, here) => { if (kind === 'v' && word === name) { if (here) isDef = true; else isUse = true; } });
    if (isDef) found.defs.push([b, o]);
    if (isUse) found.uses.push([b, o]);
  }
  return found;
}
function selectionPanel() {
  const box = $('selection');
  const row = ([b, o]) => el('li', {onclick: () => { centre(b); go({block: b.i, value: state.value}); }}, o[1] + ' ', el('small', {}, 'in ' + b.n));
  if (state.value !== null) {
    const {defs, uses} = occurrences(state.value);
    const facts = defs.map(([, o]) => o[3]).filter(f => f);
    const parameter = !defs.length && (shown.step.head || '').includes(state.value + ':');
    box.replaceChildren(el('p', {}, el('code', {}, el('b', {}, state.value)), parameter ? ' is a parameter' : !defs.length && !uses.length ? ' is not here at this step' : ''),
      facts.length ? rowsOf([['known', el('code', {}, facts.join('; '))]]) : '',
      defs.length ? el('p', {class: 'none'}, 'Defined by') : '', el('ul', {class: 'uses'}, ...defs.map(row)),
      el('p', {class: 'none'}, uses.length ? 'Used by ' + plural(uses.length, 'operation') : 'No uses'), el('ul', {class: 'uses'}, ...uses.slice(0, 200).map(row)));
    return;
  }
  const b = shown.step.index.get(state.block);
  if (!b) {
    box.replaceChildren(el('p', {class: 'none'}, state.block !== null ? 'The block is not here at this step.' : data.kind === 'eir' ? 'Click a block or a value.' : 'Click a block.'));
    return;
  }
  const chain = [];
  shown.step.loops.forEach(l => { if (b.x >= l.x && b.y >= l.y && b.x + b.w <= l.x + l.w && b.y + b.h <= l.y + l.h) chain.push(l.header); });
  box.replaceChildren(
    el('p', {}, el('code', {}, el('b', {}, b.n)), b.header ? ' heads a loop ' : ' ', el('button', {id: 'pin', onclick: () => pin(b.i)}, state.pin === b.i ? 'Unpin' : 'Pin across passes')),
    rowsOf([['from', blockLinks([...new Set((shown.step.into.get(b.i) || []).map(e => e.s))])],
      ['to', blockLinks([...new Set((shown.step.out.get(b.i) || []).map(e => e.t))])],
      ['dominator', b.dom === undefined ? (b.unreachable ? 'unreachable' : 'nothing: the entry') : blockLinks([b.dom])],
      ['loops', chain.length ? blockLinks(chain) : null], ['profile', b.note || null],
      ['operations', b.o ? String(b.o.filter(o => o[2] !== '-').length) : null], ['', b.dead ? 'never executed, as constant propagation finds' : null]]));
}
function pin(i) { go({pin: state.pin === i ? null : i}); }
function changesPanel(procedure) {
  const own = procedure.steps[state.s];
  $('pass-section').style.display = procedure.steps.length > 1 ? '' : 'none';
  if (state.s === 0) return $('changes').replaceChildren(el('p', {class: 'none'}, 'The procedure as it is in the file. The arrow keys go from pass to pass.'));
  const n = own.same ? marksOf({}) : marksOf(own);
  const badges = [['new', n['+'], 'new'], ['changed', n['~'], 'changed'], ['moved', n['>'], 'moved'], ['gone', n['-'], 'gone']]
    .filter(x => x[1]).map(([c, k, w]) => el('span', {class: 'badge ' + c}, k + ' ' + w));
  const edits = el('div', {class: 'edits'}, ...own.changes.slice(0, 500).map(c => el('div', {}, c)));
  if (own.changes.length > 500) edits.append(el('div', {}, `\u2026 ${own.changes.length - 500} more`));
  $('changes').replaceChildren(el('p', {}, el('code', {}, el('b', {}, own.pass)), own.summary ? ': ' + own.summary : ''),
    el('p', {}, ...(badges.length ? badges : [el('span', {class: 'none'}, own.gone.length ? '' : 'No operation changed.')])),
    own.gone.length ? el('p', {}, 'Blocks that are gone: ', el('code', {}, own.gone.join(', '))) : '', own.changes.length ? edits : '');
}
function adviceOf(procedure, loop) {
  if (!data.advice || state.s !== 0) return null;
  return data.advice.loops.find(a => '@' + a.procedure === procedure.name && a.header === loop.name) || null;
}
const fixed = f => f && typeof f.value === 'number' ? String(Math.round(f.value * 100) / 100) : '';
function loopsPanel(procedure) {
  const {step} = shown;
  $('loops-note').textContent = !data.advice || !step.loops.length ? '' : state.s === 0 ? 'advice for ' + data.advice.machine : 'advice is given as written';
  if (!step.loops.length) return $('loops').replaceChildren(el('p', {class: 'none'}, 'No loops.'));
  $('loops').replaceChildren(...step.loops.map((l, i) => {
    const a = adviceOf(procedure, l);
    const box = el('div', {class: 'loop' + (state.loop === i ? ' on' : ''), style: `margin-left:${Math.min(l.d - 1, 8) * 14}px`},
      el('h3', {onclick: () => { centre(l); go({loop: state.loop === i ? null : i}); }}, el('i', {style: `display:inline-block;width:10px;height:10px;border-radius:3px;background:var(--d${Math.min(l.d, 5)})`}),
        el('span', {class: 'code'}, l.name), el('small', {}, 'depth ' + l.d + ', ' + plural(l.n, 'block') + (l.endless ? ', no exit' : ''))));
    if (a) box.append(...adviceParts(a, state.loop === i));
    return box;
  }));
}
function adviceParts(a, open) {
  if (!a.decision) return [el('p', {class: 'none'}, 'no advice: ' + String(a.obstacle).replaceAll('_', ' '))];
  const change = a.cycles_per_iteration || {};
  const same = a.decision === 'rolled';
  const trip = a.trip_count && a.trip_count.header_executions;
  const parts = [el('p', {}, el('b', {}, same ? 'keep as it is' : a.decision + (a.factor > 1 ? ' \u00d7' + a.factor : '')),
    `, ${fixed(change.before)}${same ? '' : ' \u2192 ' + fixed(change.after)} cycles per iteration`, trip ? `; the header runs ${trip} times` : '')];
  if (!open) return parts;
  const why = a.bound && (a.bound.after || a.bound.before);
  if (why && why.text) parts.push(el('p', {class: 'none'}, why.text));
  const table = el('table', {}, el('tr', {}, ...['kind', 'factor', 'cycles', 'total', 'bytes', 'why not'].map(h => el('th', {}, h))));
  for (const c of a.candidates || []) {
    const chosen = c.kind === a.decision && c.factor === a.factor;
    table.append(el('tr', {class: chosen ? 'chosen' : ''}, ...[c.kind, c.factor, fixed(c.cycles_per_iteration), c.total_cycles, c.total_bytes, chosen ? 'chosen' : c.reason]
      .map(x => el('td', {}, x === undefined || x === null ? '' : String(x).replaceAll('_', ' ')))));
  }
  parts.push(table);
  return parts;
}
function dominatorsPanel() {
  const children = new Map(), roots = [];
  for (const b of shown.step.blocks) {
    if (b.dom !== undefined) (children.get(b.dom) || children.set(b.dom, []).get(b.dom)).push(b);
    else if (!b.unreachable) roots.push(b);
  }
  const items = [], stack = roots.map(b => [b, 0]).reverse();
  while (stack.length && items.length < 2000) { // an only child is not indented: chains stay readable
    const [b, depth] = stack.pop();
    const below = children.get(b.i) || [];
    items.push(el('li', {class: b.i === state.block ? 'on' : '', style: `padding-left:${6 + Math.min(depth, 14) * 14}px`, onclick: () => goBlock(b.i)},
      el('i', {style: `background:${colourOf(b)}`}), el('code', {}, b.n), below.length > 1 ? el('small', {}, 'dominates ' + below.length + ' directly') : null));
    for (const c of below.slice().reverse()) stack.push([c, depth + (below.length > 1 ? 1 : 0)]);
  }
  $('dominators').replaceChildren(el('ul', {class: 'tree'}, ...items), stack.length ? el('p', {class: 'none'}, '\u2026 and more') : '');
}
function legend() {
  const deep = shown.step.loops.reduce((most, l) => Math.max(most, l.d), 0), parts = [];
  if ($('colour').value === 'depth') for (let d = 0; d <= Math.min(deep, 5); ++d) parts.push(el('span', {}, el('i', {style: `background:var(--d${d})`}), d === 0 ? 'no loop' : 'depth ' + d));
  if (!shown.plain && state.s > 0 && changesOf(shown.own)) for (const [c, w] of [['new', 'new'], ['changed', 'changed'], ['moved', 'moved'], ['gone', 'gone']]) parts.push(el('span', {}, el('i', {style: `background:var(--${c})`}), w));
  $('legend').replaceChildren(...parts);
  $('legend').style.display = parts.length ? '' : 'none';
}

// Keys and the mouse.
const KEYS = [['\u2190 \u2192', 'pass before, pass after', 'ArrowLeft'], ['\u2191 \u2193, k j', 'procedure before, procedure after'], ['/', 'search'], ['p', 'pin the selected block across passes'],
  ['f', 'whole graph'], ['+ \u2212', 'larger, smaller; also the wheel with Ctrl'], ['c', 'next colouring'], ['Esc', 'select nothing']];
function keys(event) {
  const typing = document.activeElement === $('search');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (!$('keys').hidden) { $('keys').hidden = true; if (event.key === 'Escape' || event.key === '?') return; }
  if (typing) {
    if (event.key === 'Escape') { $('search').value = ''; search(); $('search').blur(); }
    else if (event.key === 'Enter') { const i = rows.findIndex(li => !li.hidden); $('search').blur(); if (i >= 0) go({p: i}); }
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') neighbour(event.key === 'ArrowDown' ? 1 : -1);
    else return;
    return event.preventDefault();
  }
  const actions = {
    ArrowLeft: () => go({s: state.s - 1}), ArrowRight: () => go({s: state.s + 1}),
    ArrowDown: () => neighbour(1), ArrowUp: () => neighbour(-1), j: () => neighbour(1), k: () => neighbour(-1),
    '/': () => $('search').focus(), p: () => state.block !== null && pin(state.block),
    f: whole, '+': () => zoom(1.25), '=': () => zoom(1.25), '-': () => zoom(0.8),
    c: () => { $('colour').selectedIndex = ($('colour').selectedIndex + 1) % 3; paint(); panels(); },
    Escape: () => go({block: null, value: null, loop: null}), '?': () => { $('keys').hidden = false; }
  };
  if (actions[event.key]) { actions[event.key](); event.preventDefault(); }
}
function whole() { fit.whole = true; fit(); fit.whole = false; moved(); if (painted) paint(); }
function mouse() {
  const view = $('view');
  let from = null, dragged = false;
  view.addEventListener('pointerdown', e => {
    if (e.button !== 0) return;
    from = {x: e.clientX - state.x, y: e.clientY - state.y, cx: e.clientX, cy: e.clientY, target: e.target};
    dragged = false;
  });
  window.addEventListener('pointermove', e => {
    if (!from) return;
    if (!dragged && Math.abs(e.clientX - from.cx) + Math.abs(e.clientY - from.cy) < 4) return;
    dragged = true;
    view.classList.add('drag');
    state.x = e.clientX - from.x;
    state.y = e.clientY - from.y;
    moved();
  });
  window.addEventListener('pointerup', () => { from = null; view.classList.remove('drag'); });
  view.addEventListener('click', e => {
    if (dragged) return;
    const value = e.target.getAttribute && e.target.getAttribute('data-value');
    const to = e.target.getAttribute && e.target.getAttribute('data-to');
    const block = e.target.closest && e.target.closest('[data-block]');
    if (to) { const b = shown.step.names.get(to); if (b) return goBlock(b.i); }
    if (value) return go({value: state.value === value ? null : value, block: Number(block.getAttribute('data-block'))});
    if (block) return go({block: Number(block.getAttribute('data-block')), value: null});
    go({block: null, value: null, loop: null});
  });
  view.addEventListener('wheel', e => {
    e.preventDefault();
    const r = view.getBoundingClientRect();
    if (e.ctrlKey || e.metaKey) return zoom(Math.exp(-e.deltaY * 0.0025), e.clientX - r.left, e.clientY - r.top);
    state.x -= e.shiftKey ? e.deltaY : e.deltaX;
    state.y -= e.shiftKey ? 0 : e.deltaY;
    moved();
  }, {passive: false});
  $('slider').addEventListener('input', () => go({s: Number($('slider').value)}));
  $('slider').addEventListener('keydown', e => { if (e.key.startsWith('Arrow')) e.preventDefault(); });
  $('search').addEventListener('input', search);
  $('colour').addEventListener('change', () => { paint(); panels(); $('colour').blur(); });
  $('larger').addEventListener('click', () => zoom(1.25));
  $('smaller').addEventListener('click', () => zoom(0.8));
  $('fit').addEventListener('click', whole);
  $('help').addEventListener('click', () => { $('keys').hidden = false; });
  $('keys').addEventListener('click', e => { $('keys').hidden = true; e.stopPropagation(); });
  $('keys').append(el('dl', {}, ...KEYS.flatMap(([k, what]) => [el('dt', {}, el('kbd', {}, k)), el('dd', {}, what)])));
  window.addEventListener('keydown', keys);
  window.addEventListener('hashchange', () => go(recall()));
  window.addEventListener('resize', () => moved());
}

makeList();
arrows();
mouse();
if (data.procedures.length) go(recall());
else $('head').textContent = 'nothing to show';
})();

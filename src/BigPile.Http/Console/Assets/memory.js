// The use of memory: the equation as a bar and as figures, and the segments as a map.

import { byId, element, keyedRows, setText } from './dom.js';
import { bytes, count, counted, exactBytes, percent } from './format.js';

const parts = ['payload', 'headers', 'slack', 'free', 'unexamined', 'unused'];
const columns = ['Segment', 'Reserved', 'Head', 'Taken', 'Free slots', 'Unexamined', 'Unused', 'Fill'];
const levels = 5;
const gap = 2;
const mostLabelled = 12;
const labelWidth = 28;
const mapHeight = 170;

let last = null;

export function makeMemory() {
  for (const column of columns) byId('segment-columns').append(element('th', { scope: 'col' }, column));
  const swatches = names => names.map(name => element('span', { class: `swatch ${name}` }));
  byId('map-legend').append(
    element('li', {}, ...swatches(['fill-none']), 'not in use'),
    element('li', {}, ...swatches(Array.from({ length: levels }, (_, i) => `fill-${i + 1}`)), '0 to 100 % full'),
    element('li', {}, ...swatches(['part-unexamined']), 'not recovered yet'));
  new ResizeObserver(() => drawMap()).observe(byId('map-frame'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawMap());
}

export function showMemory(report) {
  last = report;
  byId('memory').hidden = false;
  for (const id of ['map-frame', 'map-legend', 'segments']) byId(id).hidden = report.segments.length === 0;
  const memory = report.memoryBytes;
  const shown = parts.filter(part => part !== 'unexamined' || memory.unexamined > 0);
  showEquation(memory, shown, report.explained);
  const segments = report.segments.reduce((total, row) => total + row.count, 0);
  setText(byId('memory-note'), `${counted(segments, 'segment')} of ${bytes(report.segmentBytes)}; ${bytes(memory.records)} of records beside them`);
  const summary = shown.map(part => `${part} ${percent(memory[part] / Math.max(1, memory.reserved))}`).join(', ');
  byId('equation-bar').setAttribute('aria-label', `Of ${bytes(memory.reserved)} reserved: ${summary}`);
  byId('map').setAttribute('aria-label', `Map of ${counted(segments, 'segment')}, ${percent(memory.committed / Math.max(1, memory.reserved))} in use; the table below has the figures`);
  drawMap();
  showRows(report.segments);
}

function showEquation(memory, shown, explained) {
  keyedRows(byId('equation-bar'), shown, part => part, part => element('span', { class: `part-${part}` }), (bar, part) => {
    bar.hidden = memory[part] === 0;
    bar.style.flexGrow = String(memory[part]);
    bar.title = `${part}: ${exactBytes(memory[part])}`;
  });
  keyedRows(byId('equation'), ['reserved', ...shown], part => part, part => term(part, explained), (box, part) => {
    const [, value, share] = box.children;
    setText(value, bytes(memory[part]));
    value.title = exactBytes(memory[part]);
    setText(share, part === 'reserved' ? (memory.limit === undefined ? 'all segments' : `limit ${bytes(memory.limit)}`) : percent(memory[part] / Math.max(1, memory.reserved)));
  });
}

function term(part, explained) {
  const swatch = part === 'reserved' ? '' : element('span', { class: `swatch part-${part}` });
  return element('div', { class: `term term-${part}`, title: explained[part] ?? '' }, element('dt', {}, swatch, part), element('dd', { class: 'value' }), element('dd', { class: 'note' }));
}

function showRows(rows) {
  keyedRows(byId('segment-rows'), rows, row => String(row.first), () => element('tr', {}, element('th', { scope: 'row' }), ...columns.slice(1).map(() => element('td'))), (line, row) => {
    const fill = (row.taken + row.head) / row.reserved;
    const texts = [row.count === 1 ? String(row.first) : `${row.first} … (${row.count})`, bytes(row.reserved), bytes(row.head), bytes(row.taken), bytes(row.free), bytes(row.unexamined), bytes(row.unused), percent(fill)];
    texts.forEach((text, i) => setText(line.children[i], text));
  });
}

// Few segments start a line each, labelled with their number; many flow like words, so that any number fills the same space.
function drawMap() {
  if (last === null) return;
  const canvas = byId('map');
  const rows = last.segments;
  const hasLines = rows.length <= mostLabelled;
  const left = hasLines ? labelWidth : 0;
  const room = byId('map-frame').clientWidth - left;
  const cells = rows.reduce((total, row) => total + row.cells.length, 0);
  if (room <= 0 || cells === 0) return;
  const pitch = Math.max(7, Math.min(18, Math.floor(Math.sqrt((room * mapHeight) / (cells * 1.15)))));
  const perLine = Math.floor(room / pitch);
  const places = placesOf(rows, perLine, hasLines);
  const height = Math.ceil((places.at(-1) + rows.at(-1).cells.length) / perLine) * pitch;
  const context = prepare(canvas, room + left, height);
  const colours = coloursOf(canvas);
  rows.forEach((row, i) => {
    if (hasLines) drawLabel(context, colours, String(row.first), Math.floor(places[i] / perLine) * pitch + pitch / 2);
    row.cells.forEach((level, n) => drawCell(context, colours, places[i] + n, perLine, pitch, left, level));
  });
}

function placesOf(rows, perLine, hasLines) {
  let place = 0;
  return rows.map(row => {
    const own = place;
    place += row.cells.length + (hasLines ? 0 : 1);
    if (hasLines) place = Math.ceil(place / perLine) * perLine;
    return own;
  });
}

function prepare(canvas, width, height) {
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  return context;
}

function drawLabel(context, colours, text, y) {
  context.fillStyle = colours.label;
  context.font = '12px system-ui, sans-serif';
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  context.fillText(text, labelWidth - 8, y - 1);
}

function drawCell(context, colours, place, perLine, pitch, left, level) {
  const x = left + (place % perLine) * pitch;
  const y = Math.floor(place / perLine) * pitch;
  const size = pitch - gap;
  context.fillStyle = level < 0 ? colours.empty : colours.fill[Math.min(levels - 1, Math.floor(level / (100 / levels)))];
  context.fillRect(x, y, size, size);
  if (level !== -2) return;
  context.strokeStyle = colours.unexamined;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x + 1, y + size - 1);
  context.lineTo(x + size - 1, y + 1);
  context.stroke();
}

function coloursOf(node) {
  const style = getComputedStyle(node);
  const colour = name => style.getPropertyValue(name).trim();
  return { empty: colour('--empty'), label: colour('--muted'), unexamined: colour('--unexamined'), fill: Array.from({ length: levels }, (_, i) => colour(`--fill-${i + 1}`)) };
}

// The tables, with their contents and rates: filtered by name, sorted by a column.

import { may } from './access.js';
import { byId, element, keyedRows, setText } from './dom.js';
import { bytes, count, counted, duration, exactBytes, micros, percent, rate, short } from './format.js';
import { Series, draw, sparkline } from './chart.js';

const mostShown = 200;

const readsOf = table => (table.perSecond === undefined ? null : table.perSecond.hits + table.perSecond.misses);
const writesOf = table => (table.perSecond === undefined ? null : table.perSecond.puts + table.perSecond.removals);

const span = seconds => (seconds < 60 ? micros(seconds * 1e6) : duration(seconds));

function feedOf(table) {
  const window = table.feedWindowSeconds === undefined ? 'no changes yet' : `changes stay for ${span(table.feedWindowSeconds)}`;
  return `${window}; ${counted(table.feedReaders, 'reader')}${table.feedReaders === 0 ? '' : `, the slowest ${span(table.feedLagSeconds)} behind`}`;
}

const columns = [
  { name: 'Table', value: table => table.name },
  { name: 'Entries', value: table => table.entries, text: table => [short(table.entries), count(table.entries)] },
  { name: 'In the pile', value: table => table.blockBytes, text: table => [bytes(table.blockBytes), exactBytes(table.blockBytes)] },
  { name: 'Index', value: table => table.indexBytes, text: table => [bytes(table.indexBytes), exactBytes(table.indexBytes)] },
  { name: 'Feed', value: table => table.feedBytes ?? 0, text: table => (table.feedBytes === undefined ? ['–', ''] : [bytes(table.feedBytes), feedOf(table)]) },
  { name: 'Hit ratio', value: table => table.hitRatio ?? -1, text: table => [table.hitRatio === undefined ? '–' : percent(table.hitRatio), `${counted(table.hits, 'hit')}, ${counted(table.misses, 'miss', 'misses')}`] },
  { name: 'Reads/s', value: table => readsOf(table) ?? -1, text: table => [readsOf(table) === null ? '–' : short(readsOf(table)), ''] },
  { name: 'Writes/s', value: table => writesOf(table) ?? -1, text: table => [writesOf(table) === null ? '–' : short(writesOf(table)), `${counted(table.puts, 'put')}, ${counted(table.removals, 'removal')} since the start`] },
  { name: 'Evicted', value: table => table.evictions, text: table => [short(table.evictions), count(table.evictions)] },
  { name: 'Expired', value: table => table.expirations, text: table => [short(table.expirations), count(table.expirations)] },
];

const histories = new Map();
const charts = new WeakMap();

let last = [];
let order = { column: columns[0], isDown: false };
let places = new Map();

export function makeTables({ onBrowse, onEvict, onDrop }) {
  for (const column of columns) byId('table-columns').append(heading(column));
  byId('table-columns').append(element('th', { scope: 'col' }, 'Reads and writes'), element('th', { scope: 'col', id: 'table-actions' }, 'Actions'));
  setText(byId('first-put'), `curl -X PUT -H 'Content-Type: application/json' -d '{"hello":"world"}' ${new URL('v1/tables/mine/entries/first', document.baseURI)}`);
  const handlers = { browse: onBrowse, evict: onEvict, drop: name => onDrop(name, count(last.find(table => table.name === name)?.entries ?? 0)) };
  byId('table-rows').addEventListener('click', event => {
    const button = event.target.closest('button');
    if (button !== null) handlers[button.dataset.action](button.closest('tr').dataset.key);
  });
  byId('table-search').addEventListener('input', () => showRows(true));
  byId('table-find').addEventListener('submit', event => event.preventDefault());
}

function heading(column) {
  const button = element('button', { type: 'button', class: 'sort' }, column.name);
  const cell = element('th', { scope: 'col' }, button);
  if (column === order.column) cell.setAttribute('aria-sort', 'ascending');
  button.addEventListener('click', () => {
    // Names sort ascending at first, figures descending.
    order = { column, isDown: order.column === column ? !order.isDown : column !== columns[0] };
    for (const other of byId('table-columns').children) other.removeAttribute('aria-sort');
    cell.setAttribute('aria-sort', order.isDown ? 'descending' : 'ascending');
    showRows(true);
  });
  return cell;
}

export function showTables(tables) {
  last = tables;
  const isAll = may().everything;
  byId('tables-empty').hidden = tables.length > 0 || !isAll;
  byId('tables-none').hidden = tables.length > 0 || isAll || !may().read;
  byId('tables-scroll').hidden = byId('table-find').hidden = tables.length === 0;
  byId('table-actions').hidden = !may().write && !may().admin;
  const total = tables.reduce((sum, table) => sum + table.totalBytes, 0);
  setText(byId('tables-note'), tables.length === 0 ? '' : `${count(tables.length)} with ${bytes(total)}, ${tables.length === 1 ? 'its index' : 'their indexes'} included`);
  const names = new Set(tables.map(table => table.name));
  for (const name of [...histories.keys()]) if (!names.has(name)) histories.delete(name);
  for (const table of tables) note(table);
  showRows(false);
}

export function hideTables() {
  last = [];
  for (const id of ['tables-empty', 'tables-none', 'tables-scroll', 'table-find']) byId(id).hidden = true;
  setText(byId('tables-note'), '');
  byId('table-rows').replaceChildren();
}

function note(table) {
  if (!histories.has(table.name)) histories.set(table.name, { reads: new Series(), writes: new Series() });
  const { reads, writes } = histories.get(table.name);
  if (table.perSecond === undefined) return;
  reads.add(readsOf(table));
  writes.add(writesOf(table));
}

function showRows(isAsked) {
  const sought = byId('table-search').value.trim().toLowerCase();
  const found = last.filter(table => table.name.toLowerCase().includes(sought));
  found.sort(isAsked || !isHeld() ? compare : byPlace);
  places = new Map(found.map((table, i) => [table.name, i]));
  const shown = found.slice(0, mostShown);
  const text = sought === '' && shown.length === last.length ? '' : `${count(found.length)} of ${count(last.length)} found${shown.length < found.length ? `, the first ${count(mostShown)} shown` : ''}`;
  setText(byId('table-found'), text);
  keyedRows(byId('table-rows'), shown, table => table.name, make, update);
}

// Rows must not move while the user is about to press something in one of them.
function isHeld() {
  return byId('table-rows').matches(':hover, :focus-within');
}

function byPlace(left, right) {
  return (places.get(left.name) ?? last.length) - (places.get(right.name) ?? last.length);
}

function compare(left, right) {
  const [a, b] = [order.column.value(left), order.column.value(right)];
  const ascending = a < b ? -1 : a > b ? 1 : 0;
  return (order.isDown ? -ascending : ascending) || (left.name < right.name ? -1 : 1);
}

function make(table) {
  const browse = element('button', { type: 'button', class: 'link', 'data-action': 'browse', 'aria-label': `Browse keys of ${table.name}` }, table.name);
  const chart = sparkline(`Reads and writes of ${table.name}`, ['reads', 'writes'], rate);
  const evict = element('button', { type: 'button', class: 'small', 'data-action': 'evict', 'aria-label': `Evict by tag from ${table.name}` }, 'Evict…');
  const drop = element('button', { type: 'button', class: 'small', 'data-action': 'drop', 'aria-label': `Drop ${table.name}` }, 'Drop…');
  const row = element('tr', {}, element('th', { scope: 'row' }, browse), ...columns.slice(1).map(() => element('td')), element('td', { class: 'spark-cell' }, chart.box), element('td', { class: 'action-cell' }, evict, drop));
  charts.set(row, chart);
  return row;
}

function update(row, table) {
  columns.slice(1).forEach((column, i) => {
    const [text, title] = column.text(table);
    setText(row.children[i + 1], text);
    row.children[i + 1].title = title;
  });
  const [evict, drop] = row.lastElementChild.children;
  row.lastElementChild.hidden = !may().write && !may().admin;
  evict.hidden = !may().write;
  drop.hidden = !may().admin;
  const { reads, writes } = histories.get(table.name);
  draw(charts.get(row), [reads, writes]);
}

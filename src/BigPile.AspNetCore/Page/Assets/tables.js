// The tables, with what they hold and what they are doing.

import { byId, element, keyedRows, setText } from './dom.js';
import { bytes, count, exactBytes, percent, short } from './format.js';
import { Series, draw, sparkline } from './chart.js';

const columns = ['Table', 'Entries', 'In the pile', 'Index', 'Hit ratio', 'Reads/s', 'Writes/s', 'Evicted', 'Expired', 'Operations'];
const histories = new Map();

export function makeTables(onBrowse) {
  for (const column of columns) byId('table-columns').append(element('th', { scope: 'col' }, column));
  setText(byId('first-put'), `curl -X PUT -H 'Content-Type: application/json' -d '{"hello":"world"}' ${new URL('v1/tables/mine/entries/first', document.baseURI)}`);
  byId('table-rows').addEventListener('click', event => {
    const button = event.target.closest('button');
    if (button !== null) onBrowse(button.closest('tr').dataset.key);
  });
}

export function showTables(tables) {
  byId('tables-empty').hidden = tables.length > 0;
  byId('tables-scroll').hidden = tables.length === 0;
  const total = tables.reduce((sum, table) => sum + table.totalBytes, 0);
  setText(byId('tables-note'), tables.length === 0 ? '' : `${bytes(total)} with their indexes`);
  keyedRows(byId('table-rows'), tables, table => table.name, make, update);
}

function make(table) {
  const button = element('button', { type: 'button', class: 'link', 'aria-label': `Browse keys of ${table.name}` }, table.name);
  histories.set(table.name, { reads: new Series(), writes: new Series() });
  const spark = sparkline(`Operations of ${table.name}, the last two minutes`, ['reads', 'writes']);
  return element('tr', {}, element('th', { scope: 'row' }, button), ...columns.slice(2).map(() => element('td')), element('td', { class: 'spark-cell' }, spark));
}

function update(row, table) {
  const rate = table.perSecond;
  const reads = rate === undefined ? null : rate.hits + rate.misses;
  const writes = rate === undefined ? null : rate.puts + rate.removals;
  const texts = [
    [short(table.entries), count(table.entries)],
    [bytes(table.blockBytes), exactBytes(table.blockBytes)],
    [bytes(table.indexBytes), exactBytes(table.indexBytes)],
    [table.hitRatio === undefined ? '–' : percent(table.hitRatio), `${count(table.hits)} hits, ${count(table.misses)} misses`],
    [reads === null ? '–' : short(reads), ''],
    [writes === null ? '–' : short(writes), `${count(table.puts)} puts, ${count(table.removals)} removals since the start`],
    [short(table.evictions), count(table.evictions)],
    [short(table.expirations), count(table.expirations)],
  ];
  texts.forEach(([text, title], i) => {
    setText(row.children[i + 1], text);
    row.children[i + 1].title = title;
  });
  if (reads === null) return;
  const history = histories.get(table.name);
  history.reads.add(reads);
  history.writes.add(writes);
  draw(row.lastElementChild.firstElementChild, [history.reads, history.writes]);
}

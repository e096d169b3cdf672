// The connections and the responses.

import { byId, element, keyedRows, setText } from './dom.js';
import { count, short } from './format.js';

const meanings = {
  200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No content', 206: 'Part', 304: 'Not modified', 400: 'Bad request', 401: 'No key', 403: 'Forbidden', 404: 'Not found', 405: 'Wrong method',
  406: 'Not acceptable', 408: 'Too slow', 409: 'Conflict', 412: 'Condition failed', 413: 'Too large', 415: 'Wrong type', 416: 'No such range', 421: 'Wrong host', 429: 'Too often', 499: 'Client left',
  500: 'Failed', 501: 'Not implemented', 503: 'Unavailable', 507: 'Full',
};

let last = null;

export function showService(service) {
  byId('service').hidden = service === undefined;
  if (service === undefined) return;
  const now = { at: performance.now(), counts: new Map(service.statuses.map(answers => [answers.status, answers.count])) };
  showConnections(service);
  keyedRows(byId('status-rows'), service.statuses, answers => String(answers.status), row, (made, { status, count: number }) => {
    const [name, sum, rate] = made.children;
    setText(name, `${status} ${meanings[status] ?? ''}`.trim());
    setText(sum, count(number));
    setText(rate, last === null ? '–' : short(Math.max(0, (number - (last.counts.get(status) ?? 0)) / ((now.at - last.at) / 1000))));
  });
  last = now;
}

function showConnections(service) {
  const figures = [];
  if (service.connections !== undefined) figures.push(['Connections open', count(service.connections)], ['Refused since the start', count(service.rejectedConnections)]);
  if (service.requestsRunning !== undefined) figures.push(['Requests running', `${count(service.requestsRunning)} of at most ${count(service.requestLimit)}`]);
  keyedRows(byId('connections'), figures, ([name]) => name, ([name]) => element('div', {}, element('dt', {}, name), element('dd', { class: 'value' })), (box, [, value]) => setText(box.lastElementChild, value));
}

function row({ status }) {
  return element('tr', { class: status >= 500 ? 'bad' : status >= 400 ? 'warn' : '' }, element('th', { scope: 'row' }), element('td'), element('td'));
}

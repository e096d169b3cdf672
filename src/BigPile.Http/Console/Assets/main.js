// Polls the service once a second while the page is visible, and not at all otherwise.

import { askAgain, forgetAccess, lookAtAccess, may } from './access.js';
import { askDrop, askEvict, askOperation, askPut, askStop, makeActions } from './actions.js';
import { ApiError, apiKey, getHealth, getJson, setApiKey } from './api.js';
import { makeDialog, openDialog } from './dialogs.js';
import { makeDocuments } from './documents.js';
import { byId, setText } from './dom.js';
import { browse, hideKeys, listAgain, makeKeys, shownTable, showTableNames, showPut } from './keys.js';
import { makeMemory, showMemory } from './memory.js';
import { lookAtOperations, makeOperations } from './operations.js';
import { isWarming, showRecovery, showStarting } from './recovery.js';
import { showService } from './service.js';
import { hideTables, makeTables, showTables } from './tables.js';
import { hideTiles, makeTiles, showTableTiles, showTiles } from './tiles.js';

const periodMs = 1000;
const mostPeriodMs = 10000;
const memoryEvery = 2;

let timer = 0;
let isPaused = false;
let turns = 0;
let failures = 0;
let askedAbout = null; // the refused key that the user was already asked about: asked once only

function setStatus(state, text) {
  const status = byId('status');
  status.dataset.state = state;
  setText(status, text);
}

function setBanner(text) {
  const banner = byId('banner');
  banner.hidden = text === '';
  setText(banner, text);
}

async function look() {
  try {
    await lookAtAccess();
    if (may().everything) await lookAtEverything();
    else await lookAtTables();
    await lookAtOperations();
    turns++;
    failures = 0;
    askedAbout = null;
    setBanner('');
  } catch (error) {
    failures++;
    await showFailure(error);
  }
}

async function lookAtEverything() {
  const stats = await getJson('v1/stats');
  const memory = turns % memoryEvery === 0 || byId('memory').hidden ? await getJson('v1/memory') : null;
  showTiles(stats);
  showTables(stats.tables);
  showTableNames(stats.tables.map(table => table.name));
  showService(stats.service);
  showRecovery(stats.recovery);
  if (memory !== null) showMemory(memory);
  const isWarm = !isWarming(stats.recovery);
  setStatus(isWarm ? 'ready' : 'warming', isWarm ? 'Ready' : 'Ready, warming up');
}

// With a key for some tables, or for none.
async function lookAtTables() {
  if (may().read) {
    const { tables } = await getJson('v1/tables');
    showTableTiles(tables);
    showTables(tables);
    showTableNames(tables.map(table => table.name));
    setStatus('ready', 'Ready');
    return;
  }
  hideFigures();
  const health = await getHealth();
  setStatus(health.status === 'ready' ? 'ready' : 'starting', health.status === 'ready' ? 'Ready' : 'Not ready');
}

function hideFigures() {
  hideTiles();
  hideTables();
  hideKeys();
  setText(byId('facts'), '');
}

async function showFailure(error) {
  const status = error instanceof ApiError ? error.status : 0;
  if (status === 401) {
    setStatus('locked', 'Needs a key');
    setBanner(apiKey() === '' ? 'This service asks for an API key.' : 'The service does not take this API key.');
    forgetAccess();
    hideFigures();
    askForKey();
  } else if (status === 403) {
    setStatus('locked', 'Not allowed');
    setBanner(error.message);
    askAgain();
  } else if (status === 503) {
    setStatus('starting', 'Not ready');
    setBanner('The pile is not ready yet. This page goes on by itself when it is.');
    showStarting(await getHealth().catch(() => ({})));
  } else {
    setStatus('lost', status === 0 ? 'No connection' : 'Refused');
    setBanner(error instanceof ApiError ? error.message : 'The service can’t be reached. This page tries again.');
  }
}

async function turn() {
  clearTimeout(timer);
  await look();
  clearTimeout(timer);
  if (isPaused || document.hidden || byId('key-dialog').open) return;
  timer = setTimeout(() => void turn(), Math.min(mostPeriodMs, periodMs * 2 ** Math.min(failures, 3)));
}

// The page asks once for each insufficient key; the button always asks.
function askForKey() {
  if (askedAbout === apiKey()) return;
  if (openKeyDialog()) askedAbout = apiKey();
}

function openKeyDialog() {
  byId('key-input').value = '';
  return openDialog(byId('key-dialog'), 'key-button');
}

function reportKeyError(error) {
  if (error instanceof ApiError && error.status === 401) askForKey();
}

function makeKeyDialog() {
  makeDialog(byId('key-dialog'), byId('key-cancel'));
  byId('key-button').addEventListener('click', openKeyDialog);
  byId('key-forget').addEventListener('click', () => {
    setApiKey('');
    askedAbout = '';
    byId('key-dialog').close();
  });
  byId('key-form').addEventListener('submit', () => setApiKey(byId('key-input').value.trim()));
  byId('key-dialog').addEventListener('close', () => void turn());
}

makeTiles();
makeMemory();
makeTables({ onBrowse: browse, onEvict: table => askEvict(table, listAgain), onDrop: askDrop });
makeKeys(reportKeyError);
makeOperations(askOperation, askStop);
makeActions(() => {
  if (!isPaused) void turn();
});
makeDocuments();
makeKeyDialog();
byId('put-button').addEventListener('click', () => askPut(shownTable(), showPut));
byId('evict-button').addEventListener('click', () => askEvict(shownTable(), listAgain));
byId('pause').addEventListener('click', event => {
  isPaused = !isPaused;
  event.currentTarget.setAttribute('aria-pressed', String(isPaused));
  setText(event.currentTarget, isPaused ? 'Go on' : 'Pause');
  if (!isPaused) void turn();
});
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !isPaused) void turn();
});
void turn();

// Dialogs: Escape closes each, and the focus returns to the element that had it, or to one near it if that is gone.

import { byId } from './dom.js';

const places = new WeakMap();

export function makeDialog(dialog, cancel) {
  cancel.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => giveBack(places.get(dialog)));
}

// Nothing is opened above another dialog.
export function openDialog(dialog, fallback) {
  if (document.querySelector('dialog[open]') !== null) return false;
  places.set(dialog, { opener: document.activeElement, fallback });
  dialog.showModal();
  return true;
}

function giveBack({ opener, fallback }) {
  if (opener !== document.body && canTakeFocus(opener)) opener.focus();
  else byId(fallback).focus();
}

function canTakeFocus(node) {
  return node.isConnected && !node.disabled && node.checkVisibility();
}

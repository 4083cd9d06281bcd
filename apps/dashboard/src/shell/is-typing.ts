const FIELDS =
  'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable], [role=dialog] *'

/** Whether a key belongs to what has the focus: a field, or a dialog that is open. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(FIELDS) !== null
}

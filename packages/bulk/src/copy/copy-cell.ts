export const NULL_CELL = '\\N'

// What COPY's text format reads as something else.
const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}

/** A text as a cell of COPY's text format, with every character escaped that needs it. */
export function copyCell(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? '') : text
}

import { createHash } from 'node:crypto'

/*
 * WhatsApp knows some mobile numbers without a digit that people dial: a message to +5511987654321 is
 * answered from 551187654321.
 */
const OPTIONAL_DIGITS: readonly { readonly full: RegExp; readonly short: RegExp; digit: string }[] =
  [
    // Brazil: a 9 before mobile numbers.
    { full: /^(\+55\d{2})9([6-9]\d{7})$/, short: /^(\+55\d{2})([6-9]\d{7})$/, digit: '9' },
    // Mexico: a 1 behind the country's code.
    { full: /^(\+52)1(\d{10})$/, short: /^(\+52)(\d{10})$/, digit: '1' },
    // Argentina: a 9 behind the country's code.
    { full: /^(\+54)9(\d{10})$/, short: /^(\+54)(\d{10})$/, digit: '9' },
  ]

/** The same person's number in the forms in which it may be written, itself first. */
export function formsOf(number: string): string[] {
  for (const { full, short, digit } of OPTIONAL_DIGITS) {
    if (full.test(number)) return [number, number.replace(full, '$1$2')]
    if (short.test(number)) return [number, number.replace(short, `$1${digit}$2`)]
  }
  return [number]
}

/** By what a recipient is found on the list of those who must not be written to, in any form. */
export function digestOf(key: { orgId: string; channel: string; recipient: string }): Buffer {
  const [form = ''] = formsOf(key.recipient).toSorted()
  return createHash('sha256').update([key.orgId, key.channel, form].join('\n')).digest()
}

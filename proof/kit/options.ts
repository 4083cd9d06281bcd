import { parseArgs } from 'node:util'

type Default = number | string | boolean
type Widened<Value> = Value extends number ? number : Value extends boolean ? boolean : string
type Values<Defaults> = { readonly [Name in keyof Defaults]: Widened<Defaults[Name]> }

/**
 * What the command line says, or else these defaults: a switch, a text or a number, as the default of
 * each is.
 */
export function readOptions<const Defaults extends Readonly<Record<string, Default>>>(
  defaults: Defaults,
  args = process.argv.slice(2),
): Values<Defaults> {
  const kinds = Object.entries(defaults).map(([name, value]) => {
    const type: 'boolean' | 'string' = typeof value === 'boolean' ? 'boolean' : 'string'
    return [name, { type }] as const
  })
  const { values } = parseArgs({ args, options: Object.fromEntries(kinds) })
  const given = Object.entries(values).map(([name, value]) => {
    const isNumber = typeof defaults[name] === 'number'
    return [name, isNumber ? requireNumber(`--${name}`, String(value)) : value]
  })
  return { ...defaults, ...Object.fromEntries(given) } as Values<Defaults>
}

/** The value of an option that takes a number. */
function requireNumber(option: string, text: string): number {
  if (!/^\d{1,9}(\.\d+)?$/.test(text)) throw new Error(`${option} takes a number, not '${text}'`)
  return Number(text)
}

/** Those that an option names, with their names. */
export function pickNamed<Thing>(
  option: string,
  text: string,
  things: Readonly<Record<string, Thing>>,
): [name: string, thing: Thing][] {
  return text.split(',').map((word) => {
    const found = Object.entries(things).find(([name]) => name === word.trim())
    if (found) return found
    throw new Error(`${option} takes some of ${Object.keys(things).join()}, not '${word}'`)
  })
}

/** The value of an option that takes one of these words. */
export function requireOneOf<Word extends string>(
  option: string,
  text: string,
  words: readonly Word[],
): Word {
  const found = words.find((word) => word === text)
  if (found !== undefined) return found
  throw new Error(`${option} is ${words.join(' or ')}, not '${text}'`)
}

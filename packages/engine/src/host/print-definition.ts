import type { OutboxDefinition } from '../outbox/definition.ts'

/** A definition as the TypeScript that would make it, with its table's SQL in front. */
export function printDefinition<Row>(definition: OutboxDefinition<Row>, tableSql: string): string {
  const comment = tableSql
    .split('\n')
    .map((line) => `-- ${line}`.trimEnd())
    .join('\n')
  return `/*\n${comment}\n*/\ndefineOutbox(${print(definition, 0)})\n`
}

/** Functions are printed as they were written. */
function print(value: unknown, depth: number): string {
  if (typeof value === 'function') return indent(value.toString(), depth)
  if (Array.isArray(value)) return `[${value.map((each) => print(each, depth)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return quote(value)
  const inner = '  '.repeat(depth + 1)
  const fields = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `${inner}${nameOf(name)}: ${print(each, depth + 1)},\n`)
  return fields.length === 0 ? '{}' : `{\n${fields.join('')}${'  '.repeat(depth)}}`
}

function quote(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`
    : String(value)
}

function nameOf(field: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(field) ? field : quote(field)
}

/** A function's later lines keep their own indent relative to each other. */
function indent(text: string, depth: number): string {
  const [first = '', ...rest] = text.split('\n')
  const least = Math.min(...rest.map((line) => line.length - line.trimStart().length))
  const moved = rest.map((line) => '  '.repeat(depth) + line.slice(least))
  return [first, ...moved].join('\n')
}

/** Text that is printed as it is. */
export class Code {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const MESSAGE = `({ id, type, payload, key, tenant, headers, created_at: occurredAt }) => ({
  id,
  type,
  payload,
  key: key ?? undefined,
  tenant: tenant ?? undefined,
  headers: headers ?? {},
  occurredAt,
})`

/** The definition that `outbox` expands to, as TypeScript that compiles, with its table's SQL in front. */
export function printDefinition(
  definition: {
    readonly columns: { readonly priority?: unknown }
    readonly drafts: { readonly schemas?: object }
  },
  tableSql: string,
): string {
  const comment = tableSql
    .split('\n')
    .map((line) => `-- ${line}`.trimEnd())
    .join('\n')
  const { schemas, ...drafts } = definition.drafts
  const [events, whose] = schemas
    ? ['Payloads<typeof schemas>', '`schemas`: those that outbox() was given.']
    : ['Events', '`Events`: the payloads by type, as outbox<Events>() was given them.']
  const types = ['Draft', ...(schemas ? ['Payloads'] : []), 'StandardRow']
  const row = `type, payload, key, tenant, headers, dedupe${definition.columns.priority ? ', priority' : ''}`
  const printed = printValue(
    {
      ...definition,
      message: new Code(MESSAGE),
      drafts: {
        ...drafts,
        ...(schemas && { schemas: new Code('schemas') }),
        row: new Code(`({ ${row} }) => ({\n  ${row.replaceAll(', ', ',\n  ')},\n})`),
      },
    },
    0,
  )
  return `/*
${comment}
*/
// import { defineOutbox, ${types.map((type) => `type ${type}`).join(', ')} } from '@posthorn/engine'
// ${whose}
defineOutbox<StandardRow, Draft<${events}>, ${events}>(${printed})
`
}

/** A value as TypeScript. Functions are printed as they were written. */
export function printValue(value: unknown, depth: number): string {
  if (value instanceof Code) return indent(value.text, depth)
  if (typeof value === 'function') return indent(value.toString(), depth)
  if (Array.isArray(value)) return `[${value.map((each) => printValue(each, depth)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return quote(value)
  const inner = '  '.repeat(depth + 1)
  const fields = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `${inner}${printField(name, each, depth + 1)},\n`)
  return fields.length === 0 ? '{}' : `{\n${fields.join('')}${'  '.repeat(depth)}}`
}

/** A method is printed without its name in front: its text begins with it. */
function printField(name: string, value: unknown, depth: number): string {
  const printed = printValue(value, depth)
  if (value instanceof Code && value.text === name) return name
  const isMethod =
    typeof value === 'function' && new RegExp(`^(async )?\\*?${name}\\(`).test(printed)
  return isMethod ? printed : `${nameOf(name)}: ${printed}`
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

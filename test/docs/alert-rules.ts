import { format } from 'prettier'

/** A rule for Prometheus, as our file has it. */
export interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly severity: string
  readonly annotations: Readonly<Record<string, string>>
}

/** Reads the rules of a file; throws if it is no YAML. Blocks are two spaces in, as we write them. */
export async function readRules(text: string): Promise<AlertRule[]> {
  await format(text, { parser: 'yaml' })
  return text
    .split(/^ {6}- (?=alert: )/m)
    .slice(1)
    .map((block) => {
      const fields = fieldsOf(block.replaceAll(/^ {8}/gm, ''))
      return {
        alert: fields['alert'] ?? '',
        expr: fields['expr'] ?? '',
        severity: fieldsOf(fields['labels'] ?? '')['severity'] ?? '',
        annotations: fieldsOf(fields['annotations'] ?? ''),
      }
    })
}

/** The fields of a block: on their own line, or in the deeper lines below. */
function fieldsOf(block: string): Record<string, string> {
  const found = block.matchAll(/^(\w+):[ ]*(.*)((?:\n[ ]+.*|\n(?=\n))*)/gm)
  return Object.fromEntries(
    [...found].map(([, name = '', line = '', below = '']) => {
      const isBlock = line === '' || line === '|-'
      return [name, isBlock ? below.replaceAll(/\n {2}/g, '\n').trim() : unquote(line)]
    }),
  )
}

function unquote(text: string): string {
  return /^'(.*)'$/.exec(text)?.[1]?.replaceAll("''", "'") ?? text
}

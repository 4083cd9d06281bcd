import { parseAst } from 'vite'

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

/** The object that every contestant hands over as the message. */
const PAYLOAD = '{"order":7}'

/**
 * What a reader of a program has to look up in its library: the names that are imported from it, and the
 * options that are set, each once. What belongs to `pg` and to the job itself is left out: all have it.
 */
export function conceptsOf(source: string): string[] {
  const found = new Set<string>()
  const ofPg = new Set<string>()
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node, (node) => {
    if (node.type === 'ImportDeclaration') {
      const into = (node['source'] as Node)['value'] === 'pg' ? ofPg : found
      for (const each of node['specifiers'] as Node[]) into.add(nameOf(each['imported'] as Node))
    }
    // The client's own options, such as where the server is.
    if (node.type === 'NewExpression' && ofPg.has(nameOf(node['callee'] as Node))) return 'skip'
    if (node.type === 'ObjectExpression' && !isPayload(node)) {
      for (const { key } of node['properties'] as { key: Node }[]) {
        // The type of a message is the job's, and written as text.
        if (key.type === 'Identifier') found.add(nameOf(key))
      }
    }
    for (const [, option] of textIn(node).matchAll(/(\w+) => \S/g)) found.add(String(option))
    return 'enter'
  })
  return [...found].toSorted()
}

function visit(node: Node, look: (node: Node) => 'enter' | 'skip'): void {
  if (look(node) === 'skip') return
  for (const value of Object.values(node).flat()) {
    if (typeof value === 'object' && value !== null && 'type' in value) visit(value as Node, look)
  }
}

function nameOf(node: Node): string {
  return String(node['name'])
}

/** The text of a literal: SQL has options too, `queue_name => $2`. */
function textIn(node: Node): string {
  if (node.type === 'TemplateElement') return (node['value'] as { raw: string }).raw
  return node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : ''
}

function isPayload(node: Node): boolean {
  const properties = node['properties'] as { key: Node; value: Node }[]
  const fields = properties.map(({ key, value }) => [nameOf(key), value['value']])
  return JSON.stringify(Object.fromEntries(fields)) === PAYLOAD
}

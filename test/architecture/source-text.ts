/** A string or template in a source, with what stands before it. */
export interface Literal {
  /** What is between the quotes; of a template, an expression is left as `${}`. */
  readonly text: string
  readonly line: number
  /** The code before it on the way back to the last literal; at most 80 characters. */
  readonly before: string
  readonly quote: "'" | '"' | '`'
}

export interface SourceText {
  /** The source with comments blanked and strings emptied; lines stay where they are. */
  readonly code: string
  readonly literals: readonly Literal[]
}

/** After these a slash begins a regular expression; after a name or a bracket it divides. */
const REGEX_MAY_FOLLOW = /(?:^|[=(,:;!&|?{}[+*%~^<>-]|\b(?:return|typeof|case|in|of))\s*$/

/**
 * Splits a TypeScript source into code and literals. Not a parser: enough to tell a comment from
 * a string, which is all that the checks here need. TypeScript 7 has no parser to call.
 */
export function readSource(source: string): SourceText {
  const literals: Literal[] = []
  /** Templates whose expression we are in: which literal goes on, and at which depth of braces. */
  const open: { literal: number; depth: number; from: number }[] = []
  let code = ''
  let at = 0
  let depth = 0

  const skip = (end: number) => {
    code += source.slice(at, end).replaceAll(/[^\n]/g, ' ')
    at = end
  }
  const string = (quote: "'" | '"') => {
    const end = endOfString(source, at + 1, quote)
    const text = source.slice(at + 1, end)
    literals.push({ text, line: lineAt(source, at), before: code.slice(-80), quote })
    code += quote + quote
    at = end + (source[end] === quote ? 1 : 0)
  }
  const templatePiece = () => {
    const end = endOfTemplate(source, at + 1)
    const piece = source.slice(at + 1, end)
    const continued = source[at] === '}' ? open.pop() : undefined
    const index = continued?.literal ?? literals.length
    if (continued === undefined) {
      const before = code.slice(-80)
      literals.push({ text: piece, line: lineAt(source, at), before, quote: '`' })
    } else {
      const begun = literals[index]
      const expression = source.slice(continued.from, at).replaceAll(/[^\n]/g, '')
      if (begun) literals[index] = { ...begun, text: `${begun.text}\${${expression}}${piece}` }
    }
    code += '`' + piece.replaceAll(/[^\n]/g, '') + '`'
    const goesOn = source[end] === '$'
    at = end + (goesOn ? 2 : 1)
    if (goesOn) open.push({ literal: index, depth, from: at })
  }

  while (at < source.length) {
    const char = source[at] ?? ''
    if (source.startsWith('//', at)) skip(endOr(source.indexOf('\n', at), source))
    else if (source.startsWith('/*', at)) skip(endOr(source.indexOf('*/', at + 2), source, 2))
    else if (char === "'" || char === '"') string(char)
    else if (char === '`' || (char === '}' && open.at(-1)?.depth === depth)) templatePiece()
    else if (char === '/' && REGEX_MAY_FOLLOW.test(code)) {
      skip(endOfRegex(source, at + 1))
      // Something stands there: what follows is a division, not another expression.
      code += '0'
    } else {
      if (char === '{') depth += 1
      if (char === '}') depth -= 1
      code += char
      at += 1
    }
  }
  return { code, literals }
}

/** Lines with code on them: not blank, and more than a comment. */
export function countLines(source: string): number {
  const { code, literals } = readSource(source)
  const counted = new Set<number>()
  code.split('\n').forEach((line, i) => line.trim() !== '' && counted.add(i + 1))
  // A line inside a template has no code, but is there to be read.
  for (const { text, line } of literals) {
    text.split('\n').forEach((part, i) => part.trim() !== '' && counted.add(line + i))
  }
  return counted.size
}

function lineAt(source: string, index: number): number {
  return source.slice(0, index).split('\n').length
}

function endOr(index: number, source: string, length = 0): number {
  return index < 0 ? source.length : index + length
}

/** A string ends at its quote, or at the end of the line: the apostrophe of a text in JSX. */
function endOfString(source: string, from: number, quote: string): number {
  for (let i = from; i < source.length; i += 1) {
    if (source[i] === '\\') i += 1
    else if (source[i] === quote || source[i] === '\n') return i
  }
  return source.length
}

function endOfTemplate(source: string, from: number): number {
  for (let i = from; i < source.length; i += 1) {
    if (source[i] === '\\') i += 1
    else if (source[i] === '`' || source.startsWith('${', i)) return i
  }
  return source.length
}

function endOfRegex(source: string, from: number): number {
  let inClass = false
  for (let i = from; i < source.length && source[i] !== '\n'; i += 1) {
    if (source[i] === '\\') i += 1
    else if (source[i] === '[') inClass = true
    else if (source[i] === ']') inClass = false
    else if (source[i] === '/' && !inClass) return i + 1
  }
  return from
}

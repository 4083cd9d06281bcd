export function beginsTransaction(text: string): boolean {
  return /^\s*(begin|start\s+transaction)\b/i.test(text)
}

/** Most statements have none of them. */
const WORDS = /\b(commit|end|rollback|abort|prepare)\b/i

/** Text, names, bodies of functions and comments, which say nothing of the transaction. */
const QUOTED = /'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g

/** Going back to a savepoint ends nothing; an `end` behind others may be that of a function. */
const ENDING =
  /(?:^\s*end|(?:^|;)\s*(?:commit|rollback|abort|prepare\s+transaction))\b(?!\s+(?:(?:work|transaction)\s+)?to\b)/i

/** Whether one of the statements of a text does, also where another one begins the next. */
export function endsTransaction(text: string): boolean {
  return WORDS.test(text) && ENDING.test(text.replaceAll(QUOTED, ' '))
}

export function beginsTransaction(text: string): boolean {
  return /^\s*(begin|start\s+transaction)\b/i.test(text)
}

/** Going back to a savepoint ends nothing. */
export function endsTransaction(text: string): boolean {
  return /^\s*(commit|end|rollback|abort|prepare\s+transaction)\b(?!\s+((work|transaction)\s+)?to\b)/i.test(
    text,
  )
}

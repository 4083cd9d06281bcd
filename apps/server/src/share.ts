/** Reads at most once in `freshMs`, however many ask. A failure is not kept. */
export function share<Answer>(freshMs: number, read: () => Promise<Answer>): () => Promise<Answer> {
  let last: { readonly at: number; readonly answer: Promise<Answer> } | undefined
  return () => {
    if (last && performance.now() - last.at < freshMs) return last.answer
    const answer = read()
    const mine = (last = { at: performance.now(), answer })
    answer.catch(() => {
      if (last === mine) last = undefined
    })
    return answer
  }
}

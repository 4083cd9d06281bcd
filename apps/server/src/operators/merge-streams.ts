/**
 * What several sources yield, as it comes: each is asked for the next when its last was taken. Ends
 * with the first of them that ends or breaks. A race of promises would do, and leak: every race
 * leaves something behind on the source that stays silent.
 */
export async function* mergeStreams<Item>(
  sources: readonly AsyncIterable<Item>[],
): AsyncGenerator<Item> {
  const arrived: Arrival<Item>[] = []
  let wake: () => void = () => undefined
  const ask = async (iterator: AsyncIterator<Item>) => {
    const arrival = await iterator.next().then(
      (result) => ({ iterator, result }),
      (error: unknown) => ({ iterator, error }),
    )
    arrived.push(arrival)
    wake()
  }
  const iterators = sources.map((source) => source[Symbol.asyncIterator]())
  iterators.forEach((iterator) => void ask(iterator))
  try {
    for (;;) {
      const arrival = arrived.shift()
      if (!arrival) await new Promise<void>((resolve) => (wake = resolve))
      else if ('error' in arrival) throw arrival.error
      else if (arrival.result.done) return
      else {
        yield arrival.result.value
        void ask(arrival.iterator)
      }
    }
  } finally {
    // Not waited for: a source that sleeps hears of it only when its signal wakes it.
    iterators.forEach((iterator) => void iterator.return?.().catch(() => undefined))
  }
}

type Arrival<Item> =
  | { readonly iterator: AsyncIterator<Item>; readonly result: IteratorResult<Item> }
  | { readonly iterator: AsyncIterator<Item>; readonly error: unknown }

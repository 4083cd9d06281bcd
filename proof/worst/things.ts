import type { Answered, Asked } from './client-process.ts'
import type { Operation } from './description.ts'
import { makeLargest } from './schema.ts'

type Ask = (asked: Asked) => Promise<Answered>

interface Item {
  readonly [field: string]: unknown
}

/** Things tried for each place in a path: the first of a list, and the largest. */
const TRIED = 2

/** How often each thing is made, so that lists have full pages of large things. */
const COPIES = 200

/** Makes as many and as large things as the API takes. Returns how many it took. */
export async function makeThings(
  operations: readonly Operation[],
  { ask, headers, signal }: { ask: Ask; headers: Asked['headers']; signal: AbortSignal },
): Promise<number> {
  const lists = operations.filter(({ method }) => method === 'GET').map(({ path }) => path)
  let made = 0
  for (const { method, path, body } of operations) {
    if (method !== 'POST' || body === undefined || !lists.includes(path)) continue
    if (path.includes('{') || path.includes('/sim/')) continue
    for (let copy = 0; copy < COPIES; copy += 1) {
      signal.throwIfAborted()
      const { status } = await ask({
        method,
        url: path,
        headers: {
          ...{ ...headers, 'content-type': 'application/json' },
          'idempotency-key': crypto.randomUUID(),
        },
        body: JSON.stringify(makeLargest(body)),
      })
      if (status >= 300) break
      made += 1
    }
  }
  return made
}

/** Fills the places of paths with things that exist, as the lists above them have them. */
export async function openThings(
  operations: readonly Operation[],
  ask: Ask,
  headers: Asked['headers'],
) {
  const lists = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path))
  const known = new Map<string, Promise<readonly Item[]>>()

  const itemsAt = (url: string) => {
    const found = known.get(url) ?? readItems(url)
    known.set(url, found)
    return found
  }
  const readItems = async (url: string): Promise<readonly Item[]> => {
    const { status, start } = await ask({ method: 'GET', url: `${url}?limit=200`, headers })
    const answer = status === 200 ? start : (await ask({ method: 'GET', url, headers })).start
    try {
      const { items = [] } = JSON.parse(answer) as { items?: readonly Item[] }
      return pick(items)
    } catch {
      return []
    }
  }

  /** Addresses of a path; none where nothing is there. */
  return async function fill(path: string): Promise<string[]> {
    const parts = path.split('/').slice(1)
    let urls: { readonly url: string; readonly item: Item }[] = [{ url: '', item: {} }]
    let list = ''
    for (const part of parts) {
      const place = /^\{(.+)\}(.*)$/.exec(part)
      if (!place) {
        urls = urls.map(({ url, item }) => ({ url: `${url}/${part}`, item }))
        list += `/${part}`
        continue
      }
      const [, name = '', rest = ''] = place
      const next = await Promise.all(
        urls.map(async ({ url, item }) => {
          const items = lists.has(list) ? await itemsAt(url) : []
          const values = items.map((each) => ({ item: each, value: each[name] ?? each['id'] }))
          // Of the second place the thing of the first may tell, as a template its language.
          const own = item[name] === undefined ? [] : [{ item, value: item[name] }]
          const all = values.length > 0 ? values : own
          return all.map((each) => ({
            url: `${url}/${encodeURIComponent(String(each.value))}${rest}`,
            item: each.item,
          }))
        }),
      )
      urls = next.flat().slice(0, TRIED)
      list += `/${part}`
    }
    return urls.map(({ url }) => url)
  }
}

function pick(items: readonly Item[]): Item[] {
  const sized = items.map((item) => ({ item, size: JSON.stringify(item).length }))
  const largest = sized.toSorted((one, other) => other.size - one.size)[0]?.item
  return [...new Set([largest, items[0]])].filter((item) => item !== undefined)
}

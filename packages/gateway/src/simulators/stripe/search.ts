import type { Books } from './books.ts'
import { invalid } from './errors.ts'
import { nowSeconds } from './objects.ts'

/** How late the search is as a rule. */
const LATE_SECONDS = 60

/** Stripe's search: a copy that is late. */
export class SearchIndex {
  readonly #books: Books
  #caughtUpAt = 0

  constructor(books: Books) {
    this.#books = books
  }

  catchUp(): void {
    this.#caughtUpAt = Date.now()
  }

  /** One condition on one pair of the metadata, which is all that anyone here asks. */
  find(query: string) {
    const [, name, value] = /^metadata\[['"](.+)['"]\]:['"](.+)['"]$/.exec(query) ?? []
    if (name === undefined)
      throw invalid('We were unable to parse your search query.', { param: 'query' })
    const until = Math.max(this.#caughtUpAt / 1_000, nowSeconds() - LATE_SECONDS)
    const data = [...this.#books.intents.values()].filter(
      ({ metadata, created }) => metadata[name] === value && created <= until,
    )
    return {
      ...{ object: 'search_result', url: '/v1/payment_intents/search' },
      ...{ has_more: false, data, next_page: null, total_count: data.length },
    }
  }
}

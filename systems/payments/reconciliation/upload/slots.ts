/** Who may upload at the moment: each upload holds a connection of the pool for as long as it takes. */
export class UploadSlots {
  readonly #most: number
  readonly #underWay = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Takes a slot for an organisation; false if none is free. One always is left for the others. */
  take(org: string): boolean {
    const mine = this.#underWay.get(org) ?? 0
    const all = this.#underWay.values().reduce((sum, count) => sum + count, 0)
    if (all >= this.#most || mine >= Math.max(1, this.#most - 1)) return false
    this.#underWay.set(org, mine + 1)
    return true
  }

  free(org: string): void {
    const mine = this.#underWay.get(org) ?? 0
    if (mine > 1) this.#underWay.set(org, mine - 1)
    else this.#underWay.delete(org)
  }
}

export interface SlotLimits {
  /** Uploads under way in this process. */
  readonly inAll: number
  /** Of them, one organisation's. */
  readonly perOrg: number
}

/**
 * Counts the uploads under way. An organisation may have no more of them than are still free for all
 * others: the fuller it gets, the less is left to those who have much, and never nothing to the rest.
 */
export class UploadSlots {
  readonly #limits: SlotLimits
  readonly #underWay = new Map<string, number>()
  #all = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** Takes a slot, or says what is used up: the organisation's share, or all of them. */
  take(org: string): 'taken' | 'share used up' | 'all used up' {
    const { inAll, perOrg } = this.#limits
    const mine = this.#underWay.get(org) ?? 0
    const free = inAll - this.#all
    if (free <= 0) return mine > 0 ? 'share used up' : 'all used up'
    if (mine >= perOrg || mine >= free) return 'share used up'
    this.#underWay.set(org, mine + 1)
    this.#all += 1
    return 'taken'
  }

  free(org: string): void {
    const left = (this.#underWay.get(org) ?? 1) - 1
    if (left > 0) this.#underWay.set(org, left)
    else this.#underWay.delete(org)
    this.#all -= 1
  }
}

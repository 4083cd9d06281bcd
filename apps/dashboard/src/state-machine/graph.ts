import type { StateRole } from '../states/role.ts'

export interface StateNode {
  /** The word of the table. */
  readonly state: string
  readonly role: StateRole
  readonly count: number
}

export interface StateEdge {
  readonly from: string
  readonly to: string
  readonly perMinute: number
  /** Only a person does this: replay, cancel. */
  readonly byHand?: boolean
}

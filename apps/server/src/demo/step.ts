import type { DemoApi } from './api.ts'

/** Where to look, as an address of the dashboard. */
export interface Look {
  readonly label: string
  readonly path: string
}

/** What later steps need of earlier ones. */
export interface Notes {
  /** Payments of this run that went through, oldest first. */
  readonly payments: { readonly id: string; readonly name: string; readonly amount: number }[]
  /** Ids of the merchant's endpoints, by what they are called. */
  readonly endpoints: Map<string, string>
  fileJob?: string
}

/** What a step is played on. */
export interface Stage {
  readonly api: DemoApi
  /** Other for every run: keys, names and numbers are made of it, so that a run can be repeated. */
  readonly run: string
  /** Below it the simulated merchant takes webhooks. */
  readonly hooks: string
  readonly notes: Notes
  /** Tells the audience what came of it, as a sentence. */
  tell(sentence: string): void
}

/** One scene of the story: what is said before it is played, and where to look. */
export interface Step {
  readonly id: string
  readonly title: string
  readonly about: string
  readonly look: readonly Look[]
  play(stage: Stage): Promise<void>
}

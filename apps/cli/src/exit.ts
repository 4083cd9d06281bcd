/** What the process ends with; scripts may rely on these. */
export const EXIT = {
  ok: 0,
  /** It was tried and did not work. */
  failed: 1,
  /** The command line or the environment is wrong; nothing was tried. */
  usage: 2,
  /** What was asked is answered with no. */
  negative: 3,
  /** Ctrl-C, as shells count it. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The command was called in a way that cannot work; the message says what would. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** It did not work, and the message is all there is to say: no stack, no cause. */
export class Failure extends Error {
  override readonly name = 'Failure'
}

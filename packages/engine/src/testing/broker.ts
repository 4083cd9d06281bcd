import { describe } from 'vitest'

/**
 * Runs `suite` with the address of a real server from the environment. Without one: in CI a failure,
 * elsewhere a skip that says what to set.
 */
export function withBroker(variable: string, suite: (address: string) => void): void {
  const address = process.env[variable]
  if (address) return suite(address)
  const hint = `${variable} is not set: run "npm run services start" and take over what it prints`
  // oxlint-disable-next-line vitest/valid-describe-callback, vitest/valid-title
  if (process.env['CI']) throw new Error(hint)
  // oxlint-disable-next-line no-console
  console.warn(`\n  SKIPPED: ${hint}\n`)
  describe.skip(hint, () => suite('unset'))
}

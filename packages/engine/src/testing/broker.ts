import { describe } from 'vitest'

/**
 * Runs `suite` with the address of a real server from the environment. Without one: in CI a failure,
 * elsewhere a skip that says what to set.
 */
export function withBroker(variable: string, suite: (address: string) => void): void {
  const address = process.env[variable] ?? ''
  if (address === '') {
    const hint = `${variable} is not set: start the servers with "npm run services start"`
    if (process.env['CI']) throw new Error(hint)
    process.stderr.write(`\n  SKIPPED: ${hint}\n\n`)
  }
  describe.skipIf(address === '')(`with ${variable}`, () => {
    suite(address)
  })
}

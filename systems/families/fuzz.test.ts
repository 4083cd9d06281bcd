import { expect, test } from 'vitest'
import { fuzzGraphql } from '@posthorn/fuzz'
import { familyDatabase, runFamilies } from './testing/running.ts'

/* The short form of what `npm run fuzz` does with GraphQL. */
test('made-up, damaged and dear requests are answered, and none by a server error', async () => {
  const running = await runFamilies(await familyDatabase())
  const { token, create } = await running.as({ role: 'operator' })
  await create()
  const sent = await fuzzGraphql({ url: `${running.url}/graphql`, token }, { seed: 1, runs: 100 })
  expect(sent).toBeGreaterThan(100)
})

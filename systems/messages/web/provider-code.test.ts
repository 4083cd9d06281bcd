import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { providerMeaning } from './provider-code.ts'

test('every code that WhatsApp is known to answer with is explained', async () => {
  const source = new URL('../providers/whatsapp-errors.ts', import.meta.url)
  const codes = (await readFile(source, 'utf8')).match(/(?<=[\s[])\d+(?=[,\]])/g) ?? []
  expect(codes.length).toBeGreaterThan(50)
  expect(codes.filter((code) => providerMeaning(code) === undefined)).toEqual([])
})

test.each([
  ['131026', /not on WhatsApp/],
  ['240', /lacks a permission/],
  ['SMTP_450', /for now/],
  ['SMTP_550', /for good/],
  ['HTTP_502', /answered 502/],
])('%s is explained', (code, words) => {
  expect(providerMeaning(code)?.meaning).toMatch(words)
})

test.each(['139999', 'CLAIM_EXPIRED', 'toString', ''])('%s is left to others', (code) => {
  expect(providerMeaning(code)).toBeUndefined()
})

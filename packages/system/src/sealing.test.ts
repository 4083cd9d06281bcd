import { expect, test } from 'vitest'
import { createSealing } from './sealing.ts'

const sealing = createSealing(['k'.repeat(32)])

test('opens what it sealed, and shows nothing of it before', () => {
  const sealed = sealing.seal('grüße', 'invitation 1')
  expect(sealed).not.toContain('gr')
  expect(sealing.open(sealed, 'invitation 1')).toBe('grüße')
  expect(sealing.seal('grüße', 'invitation 1')).not.toBe(sealed)
})

test('opens nothing for another context, another key, or after a change', () => {
  const sealed = sealing.seal('secret', 'a')
  expect(() => sealing.open(sealed, 'b')).toThrow('cannot be opened')
  expect(() => createSealing(['x'.repeat(32)]).open(sealed, 'a')).toThrow('cannot be opened')
  const changed = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`
  expect(() => sealing.open(changed, 'a')).toThrow('cannot be opened')
  for (const rubbish of ['', 's1.', 's2.abc', 'secret']) {
    expect(() => sealing.open(rubbish, 'a')).toThrow('nothing that was sealed')
  }
})

test('a new key in front opens the old, and seals for itself', () => {
  const rotated = createSealing(['n'.repeat(32), 'k'.repeat(32)])
  expect(rotated.open(sealing.seal('old', 'a'), 'a')).toBe('old')
  expect(() => sealing.open(rotated.seal('new', 'a'), 'a')).toThrow('cannot be opened')
})

test('opens what was sealed before, byte for byte', () => {
  const stored = 's1.UkxArCqE2XG5E9QAnjj53ZHWx65IksmCnOw2roCrcrbEoUU'
  expect(sealing.open(stored, 'invitation 1')).toBe('grüße')
})

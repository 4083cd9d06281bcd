import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from '@posthorn/dashboard/testing'
import { payments } from '../index.ts'

const patient = { timeout: 60_000 }

const dashboard = await openDashboard({ systems: [payments] })

async function pay(name: string, amount: number): Promise<void> {
  await dashboard.call('/api/v1/payments', {
    body: { amount, currency: 'EUR', externalPaymentId: name },
    headers: { 'idempotency-key': name },
  })
}

const entry = (name: string, amount: string, more = '') => `
      <Ntry>
        <Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
        <BookgDt><Dt>2026-03-31</Dt></BookgDt><ValDt><Dt>2026-03-31</Dt></ValDt>
        <AcctSvcrRef>B-${name}</AcctSvcrRef>
        <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>
        <NtryDtls><TxDtls><Refs><EndToEndId>${name}</EndToEndId></Refs>${more}</TxDtls></NtryDtls>
      </Ntry>`

const balance = (type: string, amount: string) =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-03-31</Dt></Dt></Bal>`

/** A day of an account: a payment, one with a fee that the bank kept, two that are not ours. */
const camtOf = (name: string) => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">
  <BkToCstmrStmt>
    <GrpHdr><MsgId>${name}</MsgId><CreDtTm>2026-03-31T21:00:00Z</CreDtTm></GrpHdr>
    <Stmt>
      <Id>${name}</Id><Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>
      ${balance('OPBD', '1000.00')}${balance('CLBD', '1070.00')}
      ${entry(`${name}-1`, '25.00')}
      ${entry(
        `${name}-2`,
        '29.00',
        '<Chrgs><Rcrd><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>',
      )}
      ${entry(`${name}-x`, '9.00')}
      ${entry(`${name}-y`, '7.00')}
    </Stmt>
  </BkToCstmrStmt>
</Document>
`

const mt940Of = (name: string) =>
  [
    '{1:F01COBADEFFXXXX0000000000}{2:O9401200260331COBADEFFXXXX00000000002603311200N}{4:',
    `:20:${name}`,
    ':25:10050000/0123456789',
    ':28C:00044/001',
    ':60F:C260330EUR500,00',
    ':61:2603310331CR12,34NTRFNONREF//B1',
    `:86:166?00GUTSCHRIFT?20EREF+${name}-1?21SVWZ+thank you?32JANE DOE`,
    ':61:2603310331D2,34NCHGNONREF//B2',
    ':86:808?00ENTGELT?20SVWZ+account fee of March',
    ':62F:C260331EUR510,00',
    '-}',
    '',
  ].join('\r\n')

async function give(page: Page, name: string, text: string) {
  await page
    .getByLabel(/Drop a statement of your bank/)
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) })
  return page.getByRole('dialog', { name: 'Upload this file?' })
}

test('a camt.053 statement is uploaded, ties out, is matched, decided in bulk and discarded', async () => {
  const name = `camt-${randomUUID().slice(0, 8)}`
  await pay(`${name}-1`, 2_500)
  await pay(`${name}-2`, 3_000)
  const page = await dashboard.open('/reconciliation')
  const dialog = await give(page, `${name}.xml`, camtOf(name))
  await dialog.getByText('Read as camt.053 (ISO 20022).').waitFor(patient)
  await dialog.getByRole('gridcell', { name: '€29.00' }).waitFor()
  await dialog.getByRole('grid', { name: 'Balances' }).getByText('ties out').waitFor()
  await axe(page)
  await screenshot(page, 'statement-preview-light')
  await dialog.getByRole('button', { name: 'Upload' }).click()
  await page
    .getByText(/camt\.053 \(ISO 20022\) from dev: 4 records, not compared yet/)
    .waitFor(patient)
  await page.getByRole('gridcell', { name: 'DE02120300000000202051' }).waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('button', { name: 'Match 4' }).click()
  await page.getByText('2 of 4 records are matched: 50%.').waitFor(patient)
  await page
    .getByText(/^tie out/)
    .first()
    .waitFor()
  await page.getByRole('tab', { name: /All open 2/ }).waitFor()
  await page.getByRole('tab', { name: 'Balances' }).click()
  await page.getByRole('gridcell', { name: 'ties out' }).waitFor()
  await page.getByRole('gridcell', { name: '€1,070.00' }).waitFor()
  await axe(page)
  await screenshot(page, 'statement-balances-light')
  await page.getByRole('tab', { name: /All open 2/ }).click()
  await page.getByRole('gridcell', { name: `${name}-x` }).waitFor()
  for (const row of await page.getByRole('row').getByRole('checkbox').all()) await row.check()
  await page.getByRole('button', { name: 'Ignore 2 lines' }).click()
  const ignore = page.getByRole('dialog', { name: 'Ignore 2 lines?' })
  await ignore.getByLabel('Reason').fill('not ours')
  await axe(page)
  await ignore.getByRole('button', { name: 'Ignore 2' }).click()
  await page.getByText('2 done.').waitFor()
  await page.getByText('No open exceptions').waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  const discard = page.getByRole('dialog', { name: `Discard ${name}.xml?` })
  await discard.getByText('Its 2 matches are undone').waitFor()
  await discard.getByLabel('Reason').fill('the wrong day')
  await discard.getByRole('button', { name: 'Discard' }).click()
  await page.getByText('Discarded by dev').waitFor(patient)
  await axe(page)
})

test('an MT940 statement is uploaded, ties out and is matched; what is missing has a period', async () => {
  const name = `mt-${randomUUID().slice(0, 8)}`
  await pay(`${name}-1`, 1_234)
  await pay(`${name}-2`, 999)
  const page = await dashboard.open('/reconciliation')
  const dialog = await give(page, `${name}.sta`, mt940Of(name))
  await dialog.getByText('Read as MT940 (SWIFT).').waitFor(patient)
  await dialog.getByRole('button', { name: 'Upload' }).click()
  await page.getByText(/MT940 \(SWIFT\) from dev: 2 records/).waitFor(patient)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('button', { name: 'Match 2' }).click()
  await page.getByText('1 of 2 records are matched: 50%.').waitFor(patient)
  await page
    .getByText(/^tie out/)
    .first()
    .waitFor()
  await page.getByRole('tab', { name: /Missing payments/ }).click()
  await page.getByRole('gridcell', { name: `${name}-2` }).waitFor()
  await page.getByLabel('Settlement time in business days').fill('3')
  await page.getByText('No payment is missing').waitFor()
  await page.getByLabel('Settlement time in business days').fill('0')
  await page.getByRole('gridcell', { name: `${name}-2` }).waitFor()
  await page.getByLabel('Paid until').fill('2020-01-31')
  await page.getByText('No payment is missing').waitFor()
  await axe(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('tab', { name: 'Balances' }).click()
  await page.getByRole('gridcell', { name: 'ties out' }).waitFor()
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
    390,
  )
  await screenshot(page, 'statement-balances-phone')
})

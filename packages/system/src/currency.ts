import { Type } from 'typebox'

/**
 * ISO 4217 by the digits of the minor unit, for payments, orders, statements, exports and pages alike.
 * Written out: what Intl says is how people write a currency, which for seventeen of them has fewer
 * digits than the minor unit. Codes that have left the list since 2020 stay, since statements of then
 * name them; codes without a minor unit, such as XDR or XAU, are no money to be paid in.
 */
const CODES: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
      CAD CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL
      GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR
      LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB
      PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP
      SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG
      ZWL`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const EXPONENTS = new Map(
  Object.entries(CODES).flatMap(([digits, codes]) =>
    codes.split(/\s+/).map((code) => [code, Number(digits)] as const),
  ),
)

/** A currency of a request. The handler refuses unknown codes, and names the field. */
export const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  description: 'ISO 4217',
  documented: { pattern: `^(${[...EXPONENTS.keys()].join('|')})$` },
})

/** How many digits a currency's minor unit has; undefined for what is no currency. */
export function exponentOf(currency: string): number | undefined {
  return EXPONENTS.get(currency)
}

/** The whole table, code by code: `{ EUR: 2, JPY: 0, … }`. */
export const MINOR_UNITS: Readonly<Record<string, number>> = Object.fromEntries(EXPONENTS)

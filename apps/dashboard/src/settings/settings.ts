import { setMinorUnits } from '../format/money.ts'

/** What the server tells everybody about itself, before any login. */
export interface Settings {
  readonly production: boolean
  /** Who logs people in; null where they bring a token. */
  readonly oidc: {
    readonly authority: string
    readonly clientId: string
    readonly scope: string
  } | null
  /** Digits of the minor unit by the code of ISO 4217. */
  readonly minorUnits: Readonly<Record<string, number>>
}

export async function readSettings(): Promise<Settings> {
  const response = await fetch('/dashboard.json', { cache: 'no-store' })
  if (!response.ok) throw new Error(`/dashboard.json answered ${response.status}`)
  const settings = (await response.json()) as Settings
  setMinorUnits(settings.minorUnits)
  return settings
}

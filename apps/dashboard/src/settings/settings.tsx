import { createContext, type ReactNode, useContext, useState } from 'react'
import { setMinorUnits } from '../format/money.ts'
import type { User } from '../pages/page.ts'
import { useClaims } from '../session/session-context.tsx'
import { useRead } from '../api/client.tsx'

/** What the server says about itself without a token, before any login. */
export interface Settings {
  readonly production: boolean
  /** What there is besides outboxes: names of systems, `retention`, `simulators`, `demo`. */
  readonly has: readonly string[]
  /** `host`: the application around the dashboard knows who asks. Else users log in here. */
  readonly login: 'host' | 'here'
  /** Who logs people in; null where they bring a token. */
  readonly oidc: {
    readonly authority: string
    readonly clientId: string
    readonly scope: string
  } | null
  /** Digits of the minor unit by the code of ISO 4217. */
  readonly minorUnits: Readonly<Record<string, number>>
}

/** As the server has written it into the page. */
function readSettings(): Settings {
  const given = document.querySelector<HTMLMetaElement>('meta[name=settings]')?.content ?? ''
  const settings = JSON.parse(given) as Settings
  setMinorUnits(settings.minorUnits)
  return settings
}

const Context = createContext<Settings | undefined>(undefined)

export function SettingsProvider({ children }: { children: ReactNode }) {
  const [settings] = useState(readSettings)
  return <Context value={settings}>{children}</Context>
}

export function useSettings(): Settings {
  const settings = useContext(Context)
  if (settings === undefined) throw new Error('there is no SettingsProvider above')
  return settings
}

/** The path below which the pages are served, as `/posthorn`; empty at the root. */
export function basePath(): string {
  const given = document.querySelector<HTMLMetaElement>('meta[name=base]')?.content ?? ''
  // A page that no server has filled in is served from the root.
  return given.startsWith('/') ? given : ''
}

export function useUser(): User {
  const { role } = useClaims()
  const { production, has } = useSettings()
  return { role, production, has }
}

/** Another user may have moved it. */
const LOOK_AGAIN_MS = 30_000

/** How far the business clock is before the one on the wall; without simulators it never is. */
export function useClock(): { aheadMs: number } {
  const { has } = useSettings()
  const { data } = useRead('/sim/clock', ['clock'], {
    enabled: has.includes('simulators'),
    refetchInterval: LOOK_AGAIN_MS,
  })
  return { aheadMs: (data as { aheadMs?: number } | undefined)?.aheadMs ?? 0 }
}

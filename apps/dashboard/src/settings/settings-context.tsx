import { createContext, useContext, type ReactNode } from 'react'
import type { Settings } from './settings.ts'

const Context = createContext<Settings | undefined>(undefined)

export function SettingsProvider(props: { settings: Settings; children: ReactNode }) {
  return <Context value={props.settings}>{props.children}</Context>
}

export function useSettings(): Settings {
  const settings = useContext(Context)
  if (settings === undefined) throw new Error('there is no SettingsProvider above')
  return settings
}

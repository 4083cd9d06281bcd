import { createContext, useContext, type ReactNode } from 'react'
import type { Api } from './client.ts'

const Context = createContext<Api | undefined>(undefined)

export function ApiProvider(props: { api: Api; children: ReactNode }) {
  return <Context value={props.api}>{props.children}</Context>
}

export function useApi(): Api {
  const api = useContext(Context)
  if (api === undefined) throw new Error('there is no ApiProvider above')
  return api
}

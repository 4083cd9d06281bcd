import type { Client } from 'openapi-fetch'
import { createContext, useContext, type ReactNode } from 'react'
import type { Api } from './client.ts'
import type { paths } from './schema.d.ts'

const Context = createContext<Api | undefined>(undefined)

export function ApiProvider(props: { api: Api; children: ReactNode }) {
  return <Context value={props.api}>{props.children}</Context>
}

/** The server's API; `Paths` are the types of your own routes. */
export function useApi<Paths extends object = paths>(): Client<Paths> {
  const api = useContext(Context)
  if (api === undefined) throw new Error('there is no ApiProvider above')
  return api
}

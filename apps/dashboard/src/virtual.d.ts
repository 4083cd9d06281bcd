/** Written by the build from the configuration's systems. */
declare module 'virtual:contents' {
  import type { Web } from './systems.tsx'
  export const webs: readonly { readonly system: string; readonly web: Web }[]
}

/** Its reference of errors: tables in Markdown. */
declare module 'virtual:errors' {
  export const errors: string
}

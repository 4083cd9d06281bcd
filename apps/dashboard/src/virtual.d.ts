/** Written by the build from the configuration's systems and the reference of errors. */
declare module 'virtual:contents' {
  import type { Web } from './systems.tsx'
  export const webs: readonly { readonly system: string; readonly web: Web }[]
  export const errors: string
}

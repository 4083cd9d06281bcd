import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until `check` answers with something true; answers with false once time is up. */
export async function waitUntil(check, { withinMs }) {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(100)) {
    if (await check()) return true
  }
  return false
}

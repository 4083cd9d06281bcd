import { useSettings } from '../settings/settings-context.tsx'
import { endLogin } from './oidc.ts'
import { useSessionKeeper } from './session-context.tsx'

/** Forgets the token at once; where a provider logs people in, its session ends too. */
export function useLogOut(): () => void {
  const keeper = useSessionKeeper()
  const { oidc } = useSettings()
  return () => {
    keeper.logOut()
    // A provider that is away cannot keep anybody in here: the token is gone already.
    if (oidc !== null) endLogin(oidc).catch(() => undefined)
  }
}

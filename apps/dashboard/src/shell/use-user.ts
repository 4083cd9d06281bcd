import type { User } from '../pages/page.ts'
import { useClaims } from '../session/session-context.tsx'
import { useSettings } from '../settings/settings.tsx'

export function useUser(): User {
  const { role } = useClaims()
  const { production, has } = useSettings()
  return { role, production, has }
}

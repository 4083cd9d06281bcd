import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { createApi, dataOf } from '../api/client.ts'
import { basePath } from '../base.ts'
import { ErrorState, Loading } from '../parts/query-state.tsx'
import type { Claims } from './claims.ts'
import { beginLogin, finishLogin, hostOf, isReturn, type OidcSettings } from './oidc.ts'
import { useSessionKeeper } from './session-context.tsx'

/** Sends users to the OpenID provider; they return to the address they wanted. */
export function ProviderLogin({ oidc }: { oidc: OidcSettings }) {
  const begin = useMutation({ mutationFn: () => beginLogin(oidc) })
  const back = useProviderReturn(oidc)
  if (back.isLoading) return <Loading label="Logging in" />
  const error = begin.error ?? back.error
  return (
    <Stack>
      {error !== null && <ErrorState error={error} />}
      <Button size="sm" loading={begin.isPending || begin.isSuccess} onClick={() => begin.mutate()}>
        Log in at {hostOf(oidc)}
      </Button>
      <Text size="sm" c="dimmed">
        You return to this page.
      </Text>
    </Stack>
  )
}

function useProviderReturn(oidc: OidcSettings) {
  const keeper = useSessionKeeper()
  const navigate = useNavigate()
  return useQuery({
    queryKey: ['provider-return'],
    enabled: isReturn(location.search),
    // The code works once: asked again, the provider would refuse.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const { token, place } = await finishLogin(oidc)
      await navigate({ href: place, replace: true })
      if (keeper.logIn(token, await holderOf(token))) return true
      throw new Error('The provider’s token has already expired.')
    },
  })
}

/** Who the server takes the holder for: the token may say it in the provider's own words. */
export async function holderOf(token: string): Promise<Claims> {
  const api = createApi({
    baseUrl: basePath() || '/',
    token: () => token,
    onExpired: () => undefined,
  })
  const { sub, org, role, expiresAt } = await dataOf(api.GET('/api/v1/me'))
  return { sub, org, role, expiresAt: Date.parse(expiresAt) }
}

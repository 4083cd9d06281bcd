import {
  Alert,
  Anchor,
  Button,
  Center,
  Code,
  Paper,
  Stack,
  Text,
  Textarea,
  Title,
} from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { dataOf, useApi } from '../api/client.tsx'
import { ApiProblem } from '../api/problem.ts'
import { Form } from '../parts/act/form.tsx'
import { ErrorState, Loading } from '../parts/layout/notice.tsx'
import { useSettings } from '../settings/settings.tsx'
import { Brand } from '../shell/brand.tsx'
import { openSession } from './open-session.ts'
import classes from './login.module.css'
import { beginLogin, finishLogin, hostOf, isReturn, type OidcSettings } from './oidc.ts'
import { useSessionKeeper, useSessionState } from './session-context.tsx'

const WHY = {
  'not begun': undefined,
  expired: 'Your token has expired. Log in again to continue here.',
  'logged out': 'You are logged out.',
  'bad link': 'The token of this link is invalid or expired. Ask for a new link, or log in here.',
} as const

/** The login: by token, or by an OpenID provider. */
export function Login() {
  useDocumentTitle('Log in · Posthorn')
  const { ended } = useSessionState()
  const { oidc, login } = useSettings()
  if (login === 'host') return <HostLogin />
  return (
    <main className={classes['login']}>
      <Paper withBorder p="xl" w="100%" maw={440}>
        <Stack>
          <Brand />
          <Title order={1}>Log in</Title>
          {WHY[ended] !== undefined && (
            <Alert color="gray" role="status">
              {WHY[ended]}
            </Alert>
          )}
          {oidc === null ? <TokenLogin /> : <ProviderLogin oidc={oidc} />}
        </Stack>
      </Paper>
    </main>
  )
}

function TokenLogin() {
  const keeper = useSessionKeeper()
  const { production } = useSettings()
  const [token, setToken] = useState('')
  const login = useMutation({
    mutationFn: async () => keeper.logIn(await openSession(token.trim())),
  })
  const { error } = login
  const isRefused = error instanceof ApiProblem && error.status === 401
  return (
    <Form onSubmit={() => login.mutate()}>
      <Stack>
        {error !== null && !isRefused && <ErrorState error={error} />}
        <Textarea
          label="Token"
          description="The server keeps you logged in, in all tabs, until the token expires."
          placeholder="eyJ…"
          value={token}
          onChange={({ currentTarget }) => setToken(currentTarget.value)}
          error={isRefused && 'Token invalid or expired.'}
          rows={4}
          spellCheck={false}
          autoComplete="off"
          // The one thing to do here.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          required
          classNames={{ input: classes['token'] ?? '' }}
        />
        <Button type="submit" size="sm" loading={login.isPending}>
          Log in
        </Button>
        <Text size="sm" c="dimmed">
          {production ? (
            <>The operator of this server issues one.</>
          ) : (
            <>
              <Code>npm start</Code> prints one and a login link; <Code>npx posthorn token</Code>{' '}
              creates another. The API is described in its{' '}
              <Anchor href="/docs/api">reference</Anchor>.
            </>
          )}
        </Text>
      </Stack>
    </Form>
  )
}

/** Asks who the user is; the application has logged them in already. */
function HostLogin() {
  const api = useApi()
  const keeper = useSessionKeeper()
  const { error, refetch } = useQuery({
    queryKey: ['host-login'],
    queryFn: async () => {
      const { expiresAt, ...me } = await dataOf(api.GET('/api/v1/me'))
      keeper.enter({ ...me, expiresAt: Date.parse(expiresAt) })
      return true
    },
    gcTime: 0,
    retry: false,
  })
  return (
    <Center mih="100dvh" component="main">
      {error === null ? <Loading /> : <ErrorState error={error} onRetry={() => void refetch()} />}
    </Center>
  )
}

/** Sends users to the OpenID provider; they return to the address they wanted. */
function ProviderLogin({ oidc }: { oidc: OidcSettings }) {
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
      keeper.logIn(await openSession(token))
      return true
    },
  })
}

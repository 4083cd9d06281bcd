import { Alert, Anchor, Button, Code, Paper, Stack, Text, Textarea, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useState, type SubmitEvent } from 'react'
import { useSettings } from '../settings/settings.tsx'
import { Brand } from '../shell/brand.tsx'
import classes from './login.module.css'
import { HostLogin } from './host-login.tsx'
import { ProviderLogin } from './provider-login.tsx'
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
  const [mistake, setMistake] = useState<string>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!keeper.logIn(token)) setMistake('Token invalid or expired.')
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Textarea
          label="Token"
          description="Kept in this tab only, until you close it."
          placeholder="eyJ…"
          value={token}
          onChange={({ currentTarget }) => setToken(currentTarget.value)}
          error={mistake}
          rows={4}
          spellCheck={false}
          autoComplete="off"
          // The one thing to do here.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          required
          classNames={{ input: classes['token'] ?? '' }}
        />
        <Button type="submit" size="sm">
          Log in
        </Button>
        <Text size="sm" c="dimmed">
          {production ? (
            <>The operator of this server issues one.</>
          ) : (
            <>
              <Code>npm start</Code> prints one and a login link; <Code>npx posthorn token</Code>{' '}
              creates another. The API is described in its <Anchor href="/docs">reference</Anchor>.
            </>
          )}
        </Text>
      </Stack>
    </form>
  )
}

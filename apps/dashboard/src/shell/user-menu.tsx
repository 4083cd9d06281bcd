import {
  Button,
  type MantineColorScheme,
  Popover,
  SegmentedControl,
  Stack,
  Text,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconDevices, IconKeyboard, IconLogout, IconSelector } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { remove, useApi } from '../api/client.tsx'
import { formatDuration } from '../format/number.ts'
import { sentenceOf } from '../parts/act/action.tsx'
import { useNow } from '../parts/show/facts.tsx'
import { endLogin } from '../session/oidc.ts'
import { useClaims, useSessionKeeper } from '../session/session-context.tsx'
import { useSettings } from '../settings/settings.tsx'
import { showShortcuts } from './shortcuts.tsx'
import classes from './user-menu.module.css'

/** Ends the session, or all of the user's; where a provider logs people in, its session ends too. */
function useLogOut() {
  const api = useApi()
  const keeper = useSessionKeeper()
  const { oidc } = useSettings()
  return useMutation({
    mutationFn: (path: '/api/v1/session' | '/api/v1/sessions') => remove(path)(api),
    onSuccess() {
      keeper.logOut()
      // An unreachable provider cannot keep the user logged in: the session is gone already.
      if (oidc !== null) endLogin(oidc).catch(() => undefined)
    },
    onError: (error) => notifications.show({ message: sentenceOf(error), color: 'red' }),
  })
}

const SCHEMES: { value: MantineColorScheme; label: string }[] = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
]

/** Who one is here, how the page looks, and the way out. */
export function UserMenu() {
  const { sub, org, role } = useClaims()
  const [isOpen, { toggle, close }] = useDisclosure(false)
  return (
    <Popover
      position="top-start"
      width={232}
      opened={isOpen}
      onDismiss={close}
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <UnstyledButton className={classes['user']} onClick={toggle} aria-expanded={isOpen}>
          <span className={classes['name']}>
            <b>{sub}</b>
            <span>{role === 'platform' ? `platform operator, ${org}` : `${role} of ${org}`}</span>
          </span>
          <IconSelector size={14} aria-hidden />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p="sm" role="dialog" aria-label="User menu">
        <Choices onChosen={close} />
      </Popover.Dropdown>
    </Popover>
  )
}

function Choices({ onChosen }: { onChosen: () => void }) {
  const { expiresAt } = useClaims()
  const { wall } = useNow()
  const logOut = useLogOut()
  const { login } = useSettings()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const choice = { variant: 'subtle', color: 'gray', justify: 'flex-start', c: 'inherit' } as const
  return (
    <Stack gap={6}>
      <SegmentedControl
        fullWidth
        data={SCHEMES}
        value={colorScheme}
        onChange={setColorScheme}
        aria-label="Appearance"
      />
      <Button
        {...choice}
        leftSection={<IconKeyboard size={14} aria-hidden />}
        onClick={() => {
          onChosen()
          showShortcuts()
        }}
      >
        Keyboard shortcuts
      </Button>
      {login === 'here' && (
        <>
          <Button
            {...choice}
            leftSection={<IconLogout size={14} aria-hidden />}
            onClick={() => logOut.mutate('/api/v1/session')}
          >
            Log out
          </Button>
          <Button
            {...choice}
            leftSection={<IconDevices size={14} aria-hidden />}
            onClick={() => logOut.mutate('/api/v1/sessions')}
          >
            Log out everywhere
          </Button>
        </>
      )}
      <Text size="xs" c="dimmed" hidden={login === 'host'}>
        Session ends in {formatDuration(expiresAt - wall)}.
      </Text>
    </Stack>
  )
}

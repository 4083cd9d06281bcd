import {
  Alert,
  Button,
  type ButtonProps,
  Group,
  Modal,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, type SubmitEvent, useState } from 'react'
import { type PermissionName, PermittedButton } from './permitted.tsx'
import { sentenceOf } from './use-action.ts'

interface ConfirmProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** A question that says how many: `Replay 1,204 messages?`. */
  readonly title: string
  /** What the button does, with the same count: `Replay 1,204`. */
  readonly verb: string
  /** What leaves everything as it is. Default `Cancel`. */
  readonly dismiss?: string
  /** What it means, and whether there is a way back. */
  readonly children?: ReactNode
  /** `danger` for what cannot be undone. */
  readonly tone?: 'normal' | 'danger'
  /** Whether to ask why; it is kept in the audit. Default `none`. */
  readonly reason?: 'none' | 'optional' | 'required'
  /** The dialog closes when it is done, and says what went wrong if it is not. */
  readonly onConfirm: (reason: string | undefined) => Promise<unknown>
}

/** Asks before something is sent, ended or changed. */
export function Confirm({ isOpen, onClose, title, ...rest }: ConfirmProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Question {...rest} onClose={onClose} />
    </Modal>
  )
}

function Question(props: Omit<ConfirmProps, 'isOpen' | 'title'>) {
  const { children, reason = 'none', onConfirm, ...form } = props
  const [why, setWhy] = useState('')
  const confirm = useMutation({
    mutationFn: () => onConfirm(why.trim() === '' ? undefined : why.trim()),
  })
  return (
    <ActionForm action={confirm} {...form}>
      {children !== undefined && (
        <Text size="sm" component="div">
          {children}
        </Text>
      )}
      {reason !== 'none' && (
        <TextInput
          label="Reason"
          description="Recorded in the audit log."
          value={why}
          onChange={({ currentTarget }) => setWhy(currentTarget.value)}
          required={reason === 'required'}
          maxLength={500}
          data-autofocus
        />
      )}
    </ActionForm>
  )
}

interface ActionFormProps {
  /** As `useAction` gives it. */
  readonly action: {
    readonly isPending: boolean
    readonly error: Error | null
    mutate(input: undefined, options: { onSuccess: () => void }): void
  }
  /** When it is done, and when it is dismissed. */
  readonly onClose: () => void
  /** What the button does. */
  readonly verb: string
  /** What leaves everything as it is. Default `Cancel`. */
  readonly dismiss?: string | undefined
  /** `danger` for what cannot be undone. */
  readonly tone?: 'normal' | 'danger' | undefined
  readonly disabled?: boolean
  readonly children: ReactNode
}

/** Fields of an action with its buttons. It closes when the action is done, else says what went wrong. */
export function ActionForm(props: ActionFormProps) {
  const { action, onClose, verb, dismiss = 'Cancel', tone, disabled = false, children } = props
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    action.mutate(undefined, { onSuccess: onClose })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {children}
        {action.error !== null && (
          <Alert color="red" role="alert">
            {sentenceOf(action.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={action.isPending}>
            {dismiss}
          </Button>
          <Button
            type="submit"
            loading={action.isPending}
            disabled={disabled}
            {...(tone === 'danger' && { color: 'red.8' })}
          >
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface ConfirmButtonProps extends Omit<ConfirmProps, 'isOpen' | 'onClose' | 'children'> {
  /** What the server asks for. Default `write`. */
  readonly to?: PermissionName
  readonly label: ReactNode
  readonly button?: ButtonProps
  readonly children?: ReactNode
  /** When the question is asked: what was known then is what is answered. */
  readonly onOpen?: () => void
}

/** A button that asks first; for those who may not use it, disabled with the reason. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { to = 'write', label, button, onOpen, ...confirm } = props
  const [isOpen, { open, close }] = useDisclosure(false, { ...(onOpen && { onOpen }) })
  return (
    <>
      <PermittedButton to={to} variant="default" {...button} onClick={open}>
        {label}
      </PermittedButton>
      <Confirm {...confirm} isOpen={isOpen} onClose={close} />
    </>
  )
}

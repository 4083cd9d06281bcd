import type { Asked } from '../../api/client.tsx'
import {
  Alert,
  Button,
  type ButtonProps,
  Group,
  Modal,
  type ModalProps,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ComponentProps, type ReactNode, type SubmitEvent, useState } from 'react'
import {
  type ActionOptions,
  type PermissionName,
  PermittedButton,
  useAction,
  sentenceOf,
} from './action.tsx'
import { useMutation } from '@tanstack/react-query'

/** A form whose page stays when it is sent. */
export function Form({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return <form onSubmit={submit}>{children}</form>
}

/** The names of the fields that hold such values. */
type Names<Draft, Value> = {
  [Name in keyof Draft]: Draft[Name] extends Value ? Name : never
}[keyof Draft]

/** What was typed into a form so far, and what its fields are bound by. */
export function useDraft<Draft extends object>(initial: Draft | (() => Draft)) {
  const [draft, setDraft] = useState(initial)
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))
  const put = (name: keyof Draft, value: unknown) => set({ [name]: value } as Partial<Draft>)
  return {
    draft,
    set,
    /** A field of text: `<TextInput {...text('name')} />`. */
    text: <Name extends Names<Draft, string>>(name: Name) => ({
      value: draft[name] as string,
      onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
        put(name, event.currentTarget.value),
    }),
    /** A field that gives its value itself, such as `NumberInput`. */
    value: <Name extends keyof Draft>(name: Name) => ({
      value: draft[name],
      onChange: (value: Draft[Name]) => put(name, value),
    }),
    /** One of several; there is always one. */
    choice: <Name extends Names<Draft, string>>(name: Name) => ({
      value: draft[name] as Draft[Name] & string,
      onChange: (value: (Draft[Name] & string) | null) => value !== null && put(name, value),
      allowDeselect: false,
    }),
    /** A box to tick. */
    check: <Name extends Names<Draft, boolean>>(name: Name) => ({
      checked: draft[name] as boolean,
      onChange: (event: { readonly currentTarget: { readonly checked: boolean } }) =>
        put(name, event.currentTarget.checked),
    }),
  }
}

interface DialogButtonProps extends Omit<
  ComponentProps<typeof PermittedButton>,
  'children' | 'title' | 'onClick'
> {
  readonly label: ReactNode
  readonly title: ReactNode
  readonly dialog?: Pick<ModalProps, 'size'>
  /** Before it is opened. */
  readonly onOpen?: (() => void) | undefined
  /** What the dialog asks for. */
  readonly children: (close: () => void) => ReactNode
}

/** A button that opens a dialog; for those who may not use it, disabled with the reason. */
export function DialogButton(props: DialogButtonProps) {
  const { label, title, dialog, onOpen, children, ...button } = props
  const [isOpen, { open, close }] = useDisclosure(false, { ...(onOpen && { onOpen }) })
  return (
    <>
      <PermittedButton {...button} onClick={open}>
        {label}
      </PermittedButton>
      <Modal {...dialog} opened={isOpen} onClose={close} title={title}>
        {children(close)}
      </Modal>
    </>
  )
}

interface QuestionProps extends Pick<
  ActionFormProps<unknown>,
  'onClose' | 'verb' | 'dismiss' | 'tone'
> {
  /** What it means, and whether there is a way back. */
  readonly children?: ReactNode
  /** Whether to ask why; it is kept in the audit. Default `none`. */
  readonly reason?: 'none' | 'optional' | 'required' | undefined
  /** The dialog closes when it is done, and says what went wrong if it is not. */
  readonly onConfirm: (reason: string | undefined) => Promise<unknown>
}

/** Asks before something is sent, ended or changed. */
function Question(props: QuestionProps) {
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

interface ActionFormProps<Result> {
  /** As `useAction` gives it. */
  readonly action: {
    readonly isPending: boolean
    readonly error: Error | null
    mutate(input: undefined, options: { onSuccess: (result: Result) => void }): void
  }
  /** When it is done, and when it is dismissed. */
  readonly onClose: () => void
  /** What the button does, with the count of its question: `Replay 1,204`. */
  readonly verb: string
  /** What leaves everything as it is. Default `Cancel`. */
  readonly dismiss?: string | undefined
  /** `danger` for what cannot be undone. */
  readonly tone?: 'normal' | 'danger' | undefined
  readonly disabled?: boolean
  /** The form may be closed while its action continues on the server. */
  readonly leave?: 'always'
  /** After it has closed. */
  readonly onDone?: ((result: Result) => void) | undefined
  /** What went wrong. Default: the problem's own words. */
  readonly renderError?: (error: Error) => ReactNode
  /** Another button, on the other side. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** Fields of an action with its buttons. It closes when the action is done, else says what went wrong. */
export function ActionForm<Result>(props: ActionFormProps<Result>) {
  const { action, onClose, verb, dismiss = 'Cancel', tone, disabled = false, children } = props
  const { leave, onDone, renderError = sentenceOf, aside } = props
  const submit = () => {
    const onSuccess = (result: Result) => {
      onClose()
      onDone?.(result)
    }
    action.mutate(undefined, { onSuccess })
  }
  return (
    <Form onSubmit={submit}>
      <Stack gap="sm">
        {children}
        {action.error !== null && <Failure>{renderError(action.error)}</Failure>}
        <Group justify={aside === undefined ? 'flex-end' : 'space-between'} gap="xs">
          {aside}
          <Group gap="xs">
            <Button
              variant="default"
              onClick={onClose}
              disabled={action.isPending && leave !== 'always'}
            >
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
        </Group>
      </Stack>
    </Form>
  )
}

/** What went wrong, in a form. */
export function Failure({ children }: { children: ReactNode }) {
  return (
    <Alert color="red" role="alert">
      {children}
    </Alert>
  )
}

interface ActButtonProps<Result>
  extends
    Omit<QuestionProps, 'onClose' | 'onConfirm' | 'verb'>,
    Omit<ActionOptions<string | undefined, Result>, 'run'> {
  /** What the server asks for. Default `write`. */
  readonly to?: PermissionName
  readonly label: ReactNode
  /** Asks this first, with how many: `Replay 1,204 messages?`. Left out, a click is enough. */
  readonly title?: string
  /** Default: what the button says. */
  readonly verb?: string
  readonly button?: ButtonProps
  /** When the question is asked: what was known then is what is answered. */
  readonly onOpen?: () => void
  /** Gets the reason that was asked for. */
  readonly run: (reason: string | undefined) => Promise<Result> | Asked<Result>
  readonly onDone?: (result: Result) => void
}

/** A button that does one thing, asks first if it has a question, and says what was done. */
export function ActButton<Result>(props: ActButtonProps<Result>) {
  const { to = 'write', label, title, button, onOpen, ...rest } = props
  const { run, done, isGood, changes, onDone, ...question } = rest
  const action = useAction({ run, done, changes, ...(isGood && { isGood }) })
  if (title === undefined) {
    return (
      <PermittedButton
        to={to}
        variant="default"
        {...button}
        loading={action.isPending}
        onClick={() => action.mutate(undefined, { ...(onDone && { onSuccess: onDone }) })}
      >
        {label}
      </PermittedButton>
    )
  }
  const { verb = typeof label === 'string' ? label : '' } = question
  const onConfirm = async (reason: string | undefined) => {
    const result = await action.mutateAsync(reason)
    onDone?.(result)
  }
  return (
    <DialogButton to={to} variant="default" {...button} {...{ label, title, onOpen }}>
      {(close) => <Question {...question} {...{ verb, onConfirm }} onClose={close} />}
    </DialogButton>
  )
}

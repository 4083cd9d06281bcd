import { Modal, type ModalProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ComponentProps, type ReactNode, type SubmitEvent, useState } from 'react'
import { PermittedButton } from './permitted.tsx'

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
  readonly onOpen?: () => void
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

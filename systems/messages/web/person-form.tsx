import { Button, Group, Select, TextInput } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { callSimulator, useAction } from '@posthorn/dashboard/kit'

const KINDS = [
  { value: 'text', label: 'text' },
  { value: 'button', label: 'button of a template' },
  { value: 'list', label: 'choice from a list' },
  { value: 'image', label: 'picture with these words' },
  { value: 'unsupported', label: 'a kind that is not passed on' },
] as const

/** Lets a person write on the simulated WhatsApp: an answer, or STOP. */
export function PersonForm() {
  const [from, setFrom] = useState('')
  const [text, setText] = useState('')
  const [kind, setKind] = useState<(typeof KINDS)[number]['value']>('text')
  const write = useAction({
    run: (message: { from: string; text: string; kind: string }) =>
      callSimulator('/sim/whatsapp/inbound', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
      }),
    done: (_, { from: person }) => `${person} wrote.`,
    changes: ['sim', 'conversations'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    write.mutate({ from: from.trim(), text, kind }, { onSuccess: () => setText('') })
  }
  return (
    <form onSubmit={submit}>
      <Group gap="sm" align="flex-end">
        <TextInput
          label="Number"
          placeholder="+16505551234"
          pattern="\+?[0-9]{7,15}"
          title="A number with its country, such as +16505551234"
          value={from}
          onChange={({ currentTarget }) => setFrom(currentTarget.value)}
          required
          w={160}
        />
        <Select
          label="Kind"
          data={KINDS}
          value={kind}
          onChange={(value) => value !== null && setKind(value)}
          allowDeselect={false}
          w={190}
        />
        <TextInput
          label="Words"
          placeholder="Yes, please"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          maxLength={4_096}
          required
          flex="1 1 220px"
        />
        <Button type="submit" loading={write.isPending}>
          Write
        </Button>
      </Group>
    </form>
  )
}

import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type SubmitEvent, useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { FileDrop } from '../../parts/file-drop.tsx'
import { sentenceOf, useAction } from '../../parts/use-action.ts'
import { RulesFields } from './rules-fields.tsx'
import { type Profile, STANDARD_RULES, trimmed } from './rules.ts'
import { StatementPreview } from './statement-preview.tsx'

interface ProfileFormProps {
  /** Undefined for a new one. */
  readonly profile?: Profile
  /** What its rules are tried on first. */
  readonly file?: File
  readonly onDone?: (saved: Profile) => void
}

const TYPING_MS = 500

/** The rules of a profile, tried on a file before they are kept. */
export function ProfileForm({ profile, file: given, onDone }: ProfileFormProps) {
  const api = useApi()
  const [name, setName] = useState(profile?.name ?? '')
  const [rules, setRules] = useState(profile?.rules ?? STANDARD_RULES)
  const [file, setFile] = useState(given)
  const [settled] = useDebouncedValue(rules, TYPING_MS)
  const save = useAction({
    run: () => {
      const body = { name: name.trim(), rules: trimmed(rules) }
      if (profile === undefined)
        return dataOf(api.POST('/api/v1/reconciliation-profiles', { body }))
      return dataOf(
        api.PATCH('/api/v1/reconciliation-profiles/{id}', {
          params: { path: { id: profile.id } },
          body: { ...body, version: profile.version },
        }),
      )
    },
    done: (saved) => `${saved.name} is saved, version ${saved.version}.`,
    changes: ['reconciliation-profiles', 'reconciliation-profile', 'reconciliation-preview'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate(undefined, { onSuccess: (saved) => onDone?.(saved) })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="For example the bank."
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={100}
          required
        />
        <RulesFields rules={rules} onChange={setRules} />
        <FileDrop
          label={file === undefined ? 'Test it with a bank file' : `Tested with ${file.name}`}
          hint="Its first 20 rows are shown as these rules read them; nothing is stored"
          accept=".csv,.txt,text/csv"
          onFile={setFile}
        />
        {file !== undefined && <StatementPreview file={file} by={{ rules: trimmed(settled) }} />}
        {save.isError && (
          <Alert color="red" role="alert">
            {sentenceOf(save.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
            {profile === undefined ? 'Save profile' : 'Save changes'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

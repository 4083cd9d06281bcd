import { Alert, Button, Group, List, Modal, Progress, Select, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import {
  ActButton,
  AnchorLink,
  type Api,
  ApiProblem,
  countOf,
  dataOf,
  FileDrop,
  formatBytes,
  formatCount,
  newId,
  Permitted,
  said,
  useFollow,
  useRead,
  useSettings,
  useUpload,
} from '@posthorn/dashboard/kit'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ProfileForm } from './profiles.tsx'
import { STANDARD_RULES } from '../../../reconciliation/profiles/standard.ts'
import { isUnreadable, StatementPreview, usePreview } from './statements.tsx'

function StatementForm({ file, onClose }: { file: File; onClose: () => void }) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const profiles = useRead(
    '/api/v1/reconciliation-profiles',
    ['reconciliation-profiles', 'choice'],
    {
      params: { query: { limit: 100 } },
    },
  )
  const { progress, send } = useUpload()
  const [profile, setProfile] = useState<string | null>(null)
  const [uploadId] = useState(newId)
  const [rows, setRows] = useState(0)
  const [isMaking, setIsMaking] = useState(false)
  useFollow(({ events }) => {
    const last = events.findLast(said('reconciliation.upload', uploadId))
    const { rows: read } = ((last as { data?: unknown } | undefined)?.data ?? {}) as {
      rows?: number
    }
    if (read !== undefined) setRows(read)
  })
  const upload = useMutation({
    mutationFn: async () => {
      const query = new URLSearchParams({ filename: file.name, uploadId })
      if (profile !== null) query.set('profile', profile)
      const path = `/api/v1/reconciliations?${query}`
      const answer = await send(path, file, 'application/octet-stream')
      return answer as { id: string; total: number }
    },
    onSuccess: ({ id, total }) => {
      const message = `${file.name} is stored: ${countOf(total, 'record')}.`
      notifications.show({ message, color: 'green' })
      void client.invalidateQueries({ queryKey: ['reconciliation'] })
      void navigate({ to: '/reconciliation/$id', params: { id } })
    },
  })
  const isZip = /\.zip$/i.test(file.name)
  const by = profile === null ? { rules: STANDARD_RULES } : { profile }
  const preview = usePreview({ file, by }, !isZip).data
  const needsProfile = preview !== undefined && isUnreadable(preview)
  if (isMaking) {
    return (
      <Stack gap="sm">
        <Group>
          <Button variant="default" onClick={() => setIsMaking(false)}>
            Back to {file.name}
          </Button>
        </Group>
        <ProfileForm
          file={file}
          onDone={({ id }) => {
            setProfile(id)
            setIsMaking(false)
          }}
        />
      </Stack>
    )
  }
  return (
    <Stack gap="sm">
      <Text size="sm">
        {file.name}, {formatBytes(file.size)}
      </Text>
      <Select
        label="Profile"
        description="camt.053 and MT940 need none. CSV without one: the columns external_transaction_id, amount, currency and date."
        placeholder="none"
        data={(profiles.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={profile}
        onChange={setProfile}
        disabled={upload.isPending}
        clearable
        data-autofocus
      />
      {isZip ? (
        <Text size="sm">All camt.053 files of the ZIP are stored, or none. It has no preview.</Text>
      ) : (
        <StatementPreview file={file} by={by} />
      )}
      {upload.isError && <UploadProblem error={upload.error} />}
      {upload.isPending && (
        <div role="status">
          <Progress value={(progress ?? 1) * 100} aria-label="Upload" />
          <Text size="xs" c="dimmed" mt={4}>
            {rows === 0 ? 'Uploading …' : `${formatCount(rows)} rows read so far …`}
          </Text>
        </div>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} disabled={upload.isPending}>
          Cancel
        </Button>
        <Button
          variant={needsProfile ? 'filled' : 'default'}
          onClick={() => setIsMaking(true)}
          disabled={upload.isPending}
        >
          Make a profile
        </Button>
        <Button
          variant={needsProfile ? 'default' : 'filled'}
          onClick={() => upload.mutate()}
          loading={upload.isPending}
        >
          Upload
        </Button>
      </Group>
    </Stack>
  )
}

/** The errors of a file by line, or a link to the file that exists already. */
function UploadProblem({ error }: { error: Error }) {
  const problem = error instanceof ApiProblem ? error : undefined
  const known = problem?.more['id']
  return (
    <Alert color="red" role="alert" title={error.message}>
      {problem && problem.errors.length > 0 && (
        <List size="sm">
          {problem.errors.map(({ field, reason }) => (
            <List.Item key={`${field} ${reason}`}>
              {field} {reason}
            </List.Item>
          ))}
        </List>
      )}
      {typeof known === 'string' && (
        <AnchorLink to="/reconciliation/$id" params={{ id: known }}>
          Open the existing file
        </AnchorLink>
      )}
      {problem && <Text size="xs">{problem.code}: nothing was stored.</Text>}
    </Alert>
  )
}

/** Previews a statement before it is stored. */
export function StatementDrop() {
  const { production } = useSettings()
  const [file, setFile] = useState<File>()
  const close = () => setFile(undefined)
  return (
    <Permitted to="write">
      <Stack gap="xs">
        <FileDrop
          label="Drop a statement of your bank here, or choose one"
          hint="camt.053 (one file or a ZIP), MT940 or CSV. You see its first 20 records before anything is stored; a profile says how your bank writes its files"
          accept=".csv,.txt,.xml,.zip,.sta,.940,.mt940,.mta,text/csv,text/xml,application/xml,application/zip"
          onFile={setFile}
        />
        {!production && (
          <Group gap="xs">
            <SampleStatement onFile={setFile} />
          </Group>
        )}
        <Modal opened={file !== undefined} onClose={close} title="Upload this file?" size="xl">
          {file !== undefined && <StatementForm file={file} onClose={close} />}
        </Modal>
      </Stack>
    </Permitted>
  )
}

interface SamplePayment {
  readonly externalPaymentId: string
  readonly amount: number
  readonly currency: string
}

/** The six payments of a sample, named after it so that two samples do not collide. */
function samplePayments(name: string): SamplePayment[] {
  return [1_299, 9_900, 4_590, 500, 15_000, 2_000].map((amount, n) => ({
    externalPaymentId: `${name}-${n + 1}`,
    amount,
    currency: 'EUR',
  }))
}

/**
 * What a bank might say of them: the first three as they are, the first once more, the fourth less a
 * fee, the fifth in another currency, the sixth not at all, and one without a payment.
 */
function sampleStatement(payments: readonly SamplePayment[], day: string): string {
  const [first, second, third, fourth, fifth] = payments
  const lines = [
    first,
    second,
    third,
    first,
    fourth && { ...fourth, amount: fourth.amount - 15 },
    fifth && { ...fifth, currency: 'USD' },
    { externalPaymentId: 'unknown-to-us', amount: 777, currency: 'EUR' },
  ].filter((line) => line !== undefined)
  const rows = lines.map(
    ({ externalPaymentId: id, amount, currency }) =>
      `${id},${(amount / 100).toFixed(2)},${currency},${day}`,
  )
  return `external_transaction_id,amount,currency,date\n${rows.join('\n')}\n`
}

/** Creates payments at the simulated gateway and a statement that nearly matches them. */
function SampleStatement({ onFile }: { onFile: (file: File) => void }) {
  const make = async (api: Api) => {
    const today = new Date().toISOString().slice(0, 10)
    const name = `sample-${newId().slice(0, 8)}`
    const payments = samplePayments(name)
    for (const body of payments) {
      const params = { header: { 'idempotency-key': body.externalPaymentId } }
      await dataOf(api.POST('/api/v1/payments', { params, body }))
    }
    return new File([sampleStatement(payments, today)], `${name}.csv`, { type: 'text/csv' })
  }
  return (
    <ActButton
      label="Try with a sample"
      title="Create 6 payments and their statement?"
      verb="Create 6 payments"
      run={() => make}
      done={() => 'Six payments created; their statement is ready to upload.'}
      changes={['payments']}
      onDone={onFile}
    >
      The simulated gateway takes six small payments. The statement has three of them as they are,
      one with a fee taken off, one in another currency, one twice, and a line without a payment;
      one payment is missing in it.
    </ActButton>
  )
}

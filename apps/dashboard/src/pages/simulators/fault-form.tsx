import { Button, Checkbox, Group, NumberInput, Select } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { useAction } from '../../parts/use-action.ts'
import { FAULT_MODES, sim, type Fault } from './sim-client.ts'

const EXPLAINED: Readonly<Record<Fault['mode'], string>> = {
  ok: 'ok: works normally',
  error: 'error: answers with a status',
  timeout: 'timeout: accepts and never answers',
  drop: 'drop: closes the connection',
  slow: 'slow: answers two seconds late',
}

/** Tells a simulator to fail, how, and how often. */
export function FaultForm({ name }: { name: string }) {
  const [mode, setMode] = useState<Fault['mode']>('error')
  const [status, setStatus] = useState<number | string>('')
  const [after, setAfter] = useState<number | string>('')
  const [times, setTimes] = useState<number | string>('')
  const [effect, setEffect] = useState(false)
  const fail = useAction({
    run: (fault: Fault) => sim.fail(name, fault),
    done: ({ mode: now }) => `${name}: ${EXPLAINED[now]}.`,
    changes: ['sim'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    fail.mutate({
      mode,
      ...(mode === 'error' && typeof status === 'number' && { status }),
      ...(typeof after === 'number' && { after }),
      ...(typeof times === 'number' && { times }),
      ...(effect && { effect }),
    })
  }
  return (
    <form onSubmit={submit}>
      <Group gap="sm" align="flex-end">
        <Select
          label="Fault"
          data={FAULT_MODES.map((value) => ({ value, label: EXPLAINED[value] }))}
          value={mode}
          onChange={(value) => value !== null && setMode(value)}
          allowDeselect={false}
          w={250}
        />
        <NumberInput
          label="Status"
          placeholder="500"
          min={400}
          max={599}
          value={status}
          onChange={setStatus}
          disabled={mode !== 'error'}
          w={90}
        />
        <NumberInput
          label="Requests to let pass first"
          placeholder="0"
          min={0}
          value={after}
          onChange={setAfter}
          w={110}
        />
        <NumberInput
          label="How often"
          placeholder="until cleared"
          min={1}
          value={times}
          onChange={setTimes}
          w={120}
        />
        <Checkbox
          label="Do the work before failing"
          checked={effect}
          onChange={({ currentTarget }) => setEffect(currentTarget.checked)}
          mb={6}
        />
        <Button type="submit" loading={fail.isPending}>
          Set
        </Button>
        <Button variant="default" onClick={() => fail.mutate({ mode: 'ok' })}>
          Clear
        </Button>
      </Group>
    </form>
  )
}

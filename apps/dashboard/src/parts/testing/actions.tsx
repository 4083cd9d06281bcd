import { ConfirmButton } from '../confirm.tsx'
import { useAction } from '../use-action.ts'

/** Something that works, and something that does not. */
export function Actions() {
  const replay = useAction({
    run: async (reason: string | undefined) => reason ?? 'no reason',
    done: (reason) => `12 messages go again: ${reason}.`,
    changes: ['things'],
  })
  const fail = useAction({
    run: async () => {
      throw new Error('It changed meanwhile.')
    },
    done: () => 'never',
    changes: [],
  })
  return (
    <>
      <ConfirmButton
        to="read"
        label="Replay"
        title="Replay 12 messages?"
        verb="Replay 12"
        reason="required"
        onConfirm={(reason) => replay.mutateAsync(reason)}
      >
        They are sent again, each with its attempts back at zero.
      </ConfirmButton>
      <ConfirmButton
        to="read"
        label="Delete"
        title="Delete 1 thing?"
        verb="Delete 1"
        tone="danger"
        onConfirm={() => fail.mutateAsync(undefined)}
      />
    </>
  )
}

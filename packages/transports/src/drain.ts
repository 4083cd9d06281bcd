import { within } from './timing.ts'

/** How long an abandoned handler is still waited for after its signal was aborted. */
const GRACE_MS = 1_000

/** Waits for handlers that still run; when the time is over tells them, and soon waits no more. */
export async function drain(
  running: Promise<unknown>,
  drainMs: number,
  { abandon, onLeftBehind }: { abandon: () => void; onLeftBehind: () => void },
): Promise<void> {
  await within(running, drainMs, abandon)
  await within(running, GRACE_MS, onLeftBehind)
}

/** Refusals of one party that are answered at once, each second. */
const AT_ONCE = 20
/** How long the others wait. */
const HELD_MS = 1_000

/**
 * Answers those late who go on asking although they were refused: otherwise each refusal brings the
 * next request, and hundreds of connections keep the event loop busy with refusals alone.
 */
export function createHeldRefusals(
  now: () => number = Date.now,
): (party: string, refuse: () => void) => void {
  let counts = new Map<string, number>()
  let ends = 0
  return (party, refuse) => {
    if (now() >= ends) {
      counts = new Map()
      ends = now() + HELD_MS
    }
    const refused = (counts.get(party) ?? 0) + 1
    counts.set(party, refused)
    if (refused <= AT_ONCE) return refuse()
    setTimeout(refuse, HELD_MS)
  }
}

/** A message went from one state to another. */
interface TransitionEvent {
  readonly kind: 'transition'
  readonly id: string
  readonly outbox: string
  readonly messageId: string
  readonly from: string | null
  readonly to: string
  readonly at: string
}

/** An operator did something. */
interface OperationEvent {
  readonly kind: 'operation'
  readonly id: string
  readonly outbox: string | null
  readonly operation: string
  readonly at: string
}

/** A system says something of one of its things; the topic `*` means that something was missed. */
interface AnnouncementEvent {
  readonly kind: 'announcement'
  readonly topic: string
  readonly id: string
  readonly data: unknown
}

export type LiveEvent = TransitionEvent | OperationEvent | AnnouncementEvent

/** Undefined for positions, for what a newer server says, and for what cannot be read. */
export function liveEventIn({ event, data }: ServerEvent): LiveEvent | undefined {
  if (event !== 'transition' && event !== 'operation' && event !== 'announcement') return undefined
  try {
    const value: unknown = JSON.parse(data)
    if (typeof value !== 'object' || value === null) return undefined
    return { ...value, kind: event } as LiveEvent
  } catch {
    return undefined
  }
}

/** One server-sent event as it came. */
export interface ServerEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/** An event longer than this is not one of ours: a page left open must not grow with it. */
const MOST_CHARACTERS = 1_000_000

/** Takes a stream's text piece by piece and gives the events that are whole. */
export function createEventParser(): (piece: string) => ServerEvent[] {
  let rest = ''
  return (piece) => {
    // A break of two characters may be cut in two: the second half then begins the next piece.
    const text = `${rest}${piece}`
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text
    const blocks = whole.replaceAll(/\r\n?/g, '\n').split('\n\n')
    rest = `${blocks.pop() ?? ''}${text.slice(whole.length)}`
    if (rest.length > MOST_CHARACTERS) throw new RangeError('an event without an end')
    return blocks.flatMap(eventIn)
  }
}

function eventIn(block: string): ServerEvent[] {
  const data: string[] = []
  let id: string | undefined
  let event = 'message'
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(data|id|event)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (name === 'id') id = value
    else if (name === 'event') event = value
  }
  return data.length === 0 ? [] : [{ id, event, data: data.join('\n') }]
}

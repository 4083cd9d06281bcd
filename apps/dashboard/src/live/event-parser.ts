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

import { Type, type Static } from 'typebox'

export const REPORTS = ['sent', 'delivered', 'read', 'failed'] as const
export type ReportWord = (typeof REPORTS)[number]

/** How the simulator behaves beside its faults; set by `PUT /sim/whatsapp/behaviour`. */
export const Behaviour = Type.Object(
  {
    perSecond: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'messages that one number may send in a second; 0 for no limit; 80',
    }),
    paceMs: Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'until sent; delivered comes after twice, read after four times as long; 400',
    }),
    drop: Type.Array(Type.Enum([...REPORTS]), { description: 'reports that are never made' }),
    repeat: Type.Integer({ minimum: 1, maximum: 10, description: 'how often each is made; 1' }),
    reorder: Type.Boolean({ description: 'whether the last comes first; false' }),
    echo: Type.Boolean({ description: 'whether biz_opaque_callback_data comes back; true' }),
  },
  { additionalProperties: false },
)
export type Behaviour = Static<typeof Behaviour>

export const USUAL: Behaviour = {
  perSecond: 80,
  paceMs: 400,
  drop: [],
  repeat: 1,
  reorder: false,
  echo: true,
}

/** When each report of a message is made, in ms after it was accepted. */
export function timetable(
  words: readonly ReportWord[],
  { paceMs, drop, repeat, reorder }: Behaviour,
): { readonly word: ReportWord; readonly afterMs: number }[] {
  const spread = 0.8 + Math.random() * 0.4
  const times = words.map((_, i) => paceMs * 2 ** i * spread)
  const order = reorder ? words.toReversed() : words
  return order.flatMap((word, i) =>
    drop.includes(word)
      ? []
      : Array.from({ length: repeat }, (_, n) => ({ word, afterMs: (times[i] ?? 0) + n })),
  )
}

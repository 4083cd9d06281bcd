/**
 * The kill points that are tested: all of them in the full proof (`PROOF=full`), otherwise those
 * that stand for the others, by their names.
 */
export function killPoints<Point>(
  points: readonly Point[],
  { named, short }: { named(point: Point): string; short: readonly string[] },
): readonly Point[] {
  const names = new Set(points.map(named))
  const unknown = short.filter((name) => !names.has(name))
  if (unknown.length > 0) throw new TypeError(`no kill points: ${unknown.join(', ')}`)
  return process.env['PROOF'] === 'full'
    ? points
    : points.filter((point) => short.includes(named(point)))
}

import { formatCount } from '../format/number.ts'
import type { StateEdge } from './graph.ts'

/** Nothing at an arrow that nothing took: a picture full of zeros hides what moves. */
export function rateOf({ perMinute, byHand }: StateEdge): string {
  if (perMinute > 0) return `${formatCount(perMinute)}/min`
  return byHand === true ? 'by hand' : ''
}

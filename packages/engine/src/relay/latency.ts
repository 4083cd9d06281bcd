/** A bucket for every factor of √2: bucket n ends at 2^(n/2) milliseconds, the last one has no end. */
const LAST_BUCKET = 60

export function latencyBucket(ms: number): number {
  return ms <= 1 ? 0 : Math.min(Math.ceil(2 * Math.log2(ms)), LAST_BUCKET)
}

/**
 * The latency that a part (from 0 to 1) of the deliveries did not exceed, taken to be even within its
 * bucket; undefined without a delivery.
 */
export function percentile(
  counts: Readonly<Record<string, number>>,
  part: number,
): number | undefined {
  const buckets = Object.entries(counts)
    .map(([bucket, n]) => ({ bucket: Number(bucket), n }))
    .toSorted((one, other) => one.bucket - other.bucket)
  const wanted = part * buckets.reduce((total, { n }) => total + n, 0)
  let passed = 0
  for (const { bucket, n } of buckets) {
    if (passed + n >= wanted) {
      const from = bucket === 0 ? 0 : 2 ** ((bucket - 1) / 2)
      return from + (2 ** (bucket / 2) - from) * ((wanted - passed) / n)
    }
    passed += n
  }
  return undefined
}

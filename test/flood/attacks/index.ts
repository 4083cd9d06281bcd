import type { Attack } from './attack.ts'
import { endpoints } from './endpoints.ts'
import { requests } from './requests.ts'
import { slowloris } from './slowloris.ts'
import { slowZips } from './slow-zips.ts'
import { streams } from './streams.ts'
import { uploads } from './uploads.ts'

export type { Attack, AttackContext, AttackTarget } from './attack.ts'

export const attacks: readonly Attack[] = [
  requests,
  uploads,
  endpoints,
  slowZips,
  slowloris,
  streams,
]

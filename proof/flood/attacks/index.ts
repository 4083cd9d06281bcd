import type { Attack } from './attack.ts'
import { endpoints } from './endpoints.ts'
import { names } from './names.ts'
import { pair } from './pair.ts'
import { requests } from './requests.ts'
import { slowloris } from './slowloris.ts'
import { slowZips } from './slow-zips.ts'
import { strangers } from './strangers.ts'
import { streams } from './streams.ts'
import { unsigned } from './unsigned.ts'
import { uploads } from './uploads.ts'

export type { Attack, AttackContext, AttackTarget } from './attack.ts'

export const attacks: readonly Attack[] = [
  requests,
  uploads,
  endpoints,
  slowZips,
  slowloris,
  streams,
  strangers,
  unsigned,
  names,
  pair,
]

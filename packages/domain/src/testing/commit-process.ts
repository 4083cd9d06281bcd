import { stdout } from 'node:process'
import { uuid } from '@posthorn/engine'
import { Pool } from 'pg'
import type { Mapper } from '../mapper.ts'
import { UnitOfWork } from '../unit-of-work.ts'
import { Club, clubEvents, clubMapper } from './club.ts'

/*
 * Commits until it is killed. HALT says where it stands still and says so: after the row, after the
 * events, or nowhere.
 */

const { DATABASE_URL: connectionString, CLUB: id = uuid(), HALT: halt } = process.env
const pool = new Pool({ connectionString, max: 1 })

async function standStill(): Promise<void> {
  stdout.write('here\n')
  await new Promise((resolve) => setTimeout(resolve, 60_000))
}

const mapper: Mapper<Club> = {
  ...clubMapper,
  async update(tx, club) {
    const written = await clubMapper.update(tx, club)
    if (halt === 'after-row') await standStill()
    return written
  },
}

for (let n = 0; n < 100_000; n += 1) {
  const unit = new UnitOfWork({ pool, mappers: [mapper], events: clubEvents })
  const club = await unit.load(Club, id)
  club?.rename(`${id} ${n}`)
  await unit.commit(async (tx, write) => {
    await write(tx)
    if (halt === 'after-events') await standStill()
  })
  if (halt === 'nowhere' && n % 10 === 0) stdout.write('here\n')
}

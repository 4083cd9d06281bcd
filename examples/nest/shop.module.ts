import { Module } from '@nestjs/common'
import { PosthornModule } from '@posthorn/nest'
import { Pool } from 'pg'
import { events } from './events.ts'
import { Orders } from './orders.ts'

@Module({
  imports: [
    PosthornModule.forRootAsync({
      outboxes: [events],
      useFactory: () => ({
        pool: new Pool({ connectionString: process.env['DATABASE_URL'] }),
        setUp: true,
        endPool: true,
      }),
    }),
  ],
  providers: [Orders],
})
export class ShopModule {}

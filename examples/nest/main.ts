import { NestFactory } from '@nestjs/core'
import { ShopModule } from './shop.module.ts'
import { Orders } from './orders.ts'

// Compiled with `experimentalDecorators`, as NestJS applications are. Needs DATABASE_URL.
const app = await NestFactory.createApplicationContext(ShopModule, { logger: ['error'] })
app.enableShutdownHooks()
const orders = app.get(Orders)
const order = await orders.place('lamp')
console.log(`order ${order} is placed`)
await orders.packed
await app.close()

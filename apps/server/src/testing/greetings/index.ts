import { migrationsFrom } from '@posthorn/engine'
import { defineSystem } from '@posthorn/systems'
import { Type } from 'typebox'
import { greetingOutbox } from './outbox.ts'
import { greetingRoutes } from './routes.ts'
import { greeter } from './worker.ts'

/** The smallest whole system, for tests: a route, an outbox, a topic, a consumer with an inbox. */
export const greetings = defineSystem({
  name: 'example',
  settings: Type.Object({
    GREETINGS_BROKER: Type.Union(
      [Type.Literal('topics'), Type.Literal('kafka'), Type.Literal('rabbitmq')],
      { description: 'what the example sends by: topics, kafka or rabbitmq', default: 'topics' },
    ),
  }),
  migrations: () => migrationsFrom('example', new URL('./migrations/', import.meta.url)),
  open({ pool, log, settings }) {
    const outbox = greetingOutbox(settings.GREETINGS_BROKER)
    return {
      outboxes: [outbox],
      consumers: [greeter(pool, settings.GREETINGS_BROKER, log)],
      routes: (app) => greetingRoutes(app, pool, outbox),
    }
  },
})

/** For POSTHORN_CONFIG, where a test runs the server as a process. */
export const systems = [greetings]

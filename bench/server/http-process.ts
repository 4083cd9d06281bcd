import { fastify } from 'fastify'
import { createBenchApp, serve } from '../kit/serving.ts'

/* A child process of `http.bench.ts`: serves one route. */
const app = process.argv[2] === 'bare' ? fastify() : await createBenchApp()
app.get('/hello', async () => ({ hello: 'world' }))
await serve(app, '/hello')

// `node examples/mounted/main.ts`, with DATABASE_URL; then log in as the shop would, by a cookie.
import { openShop } from './app.ts'

const app = await openShop(process.env['DATABASE_URL'] ?? '')
const url = await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
console.log(`document.cookie = 'shop-user=ada' on ${url}, then ${url}/admin/posthorn`)

export { whatsapp } from './whatsapp/index.ts'

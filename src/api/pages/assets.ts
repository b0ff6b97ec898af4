import {readFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import {isSea} from 'node:sea'
import type {FastifyInstance} from 'fastify'
import {once} from '../../base/once.ts'
import {readAsset} from '../../state/assets.ts'
import {ASSET_PATHS} from './document.ts'
import {PAGE_STYLE} from './style.ts'

/** Shows that the service does not answer, until it does again. htmx shows every answer, also of an error. */
const PAGE_SCRIPT = `const show = (isLost) => { document.getElementById('unreachable').hidden = !isLost }
document.addEventListener('htmx:error', () => show(true))
document.addEventListener('htmx:after:swap', () => show(false))
`

/** Adds the style and the scripts of the pages; nothing is loaded from elsewhere. */
export function assetRoutes(app: FastifyInstance): void {
  const htmx = once(readHtmx)
  const schema = {hide: true}
  const javascript = 'text/javascript; charset=utf-8'
  app.get(ASSET_PATHS.style, {schema}, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(PAGE_STYLE),
  )
  app.get(ASSET_PATHS.script, {schema}, async (_request, reply) => reply.type(javascript).send(PAGE_SCRIPT))
  app.get(ASSET_PATHS.htmx, {schema}, async (_request, reply) => reply.type(javascript).send(await htmx()))
}

/** Returns htmx: from the executable, or from its package when run from the sources. */
async function readHtmx(): Promise<Buffer> {
  if (isSea()) return readAsset('htmx.js')
  const require = createRequire(import.meta.url)
  return readFile(require.resolve('htmx.org/dist/htmx.js'))
}

/** Makes `dist/kk`, one executable: the bundled program, its assets and Node itself. */
import {statSync} from 'node:fs'
import {join} from 'node:path'
import {assemble, makeAssets} from './build/executable.ts'
import {sizeLines} from './build/sizes.ts'
import {writePluginsTable} from './plugins-table.ts'
import {makeTable} from './table.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')
const EXECUTABLE = join(DIST, 'kk')

await makeTable()
await writePluginsTable()
const made = await makeAssets(DIST)
await assemble(made, {node: process.execPath, output: EXECUTABLE})
for (const [name, metafile] of made.sizes) console.log(sizeLines(name, metafile).join('\n'))
console.log(`${(statSync(EXECUTABLE).size / 2 ** 20).toFixed(1).padStart(7)} MB  dist/kk`)

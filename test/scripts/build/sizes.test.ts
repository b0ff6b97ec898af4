import type {Metafile} from 'esbuild'
import {expect, it} from 'vitest'
import {sizeLines} from '../../../scripts/build/sizes.ts'

it('the size of a bundle is summed by package, the largest first', () => {
  const inputs = {
    'src/main.ts': {bytesInOutput: 2048},
    'node_modules/@oclif/core/lib/index.js': {bytesInOutput: 3000},
    'node_modules/@oclif/core/lib/main.js': {bytesInOutput: 2120},
    'node_modules/execa/node_modules/tiny/index.js': {bytesInOutput: 1024},
    'node_modules/ms/index.js': {bytesInOutput: 100},
  }
  const metafile = {inputs: {}, outputs: {'main.cjs': {bytes: 10_240, inputs}}} as unknown as Metafile

  expect(sizeLines('main', metafile)).toEqual([
    '     10 kB  bundle main',
    '      5 kB    @oclif/core',
    '      2 kB    kk',
    '      1 kB    tiny',
    '              1 more below 1 kB each',
  ])
})

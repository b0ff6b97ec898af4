import {describe, expect, it} from 'vitest'
import {SERVICES, useCharts} from '../own-charts/support/charts.ts'
import {pods} from '../own-charts/support/objects.ts'
import {containerOf} from './support/container.ts'
import {IMAGES, imageOf} from './support/images.ts'
import {startOf} from './support/start-of.ts'

const charts = await useCharts()
/** Those of the charts that do not run on kolla's images alone. */
const BUILT = SERVICES.filter((service) => IMAGES.some(({chart}) => chart === service))

interface Written {
  readonly command: string
  readonly config_files: readonly {readonly dest: string; readonly owner: string; readonly perm: string}[]
}

/** The image of a name in a release; where only Debian's has it, such as a database, that one. */
const inRelease = (name: string, release: string) =>
  IMAGES.find((image) => image.name === `${name}-${release}`) ?? imageOf(name)

const RELEASES = ["of Debian's release", '2026.1']

describe.each(BUILT)('the rendered configuration of the chart %s', (chart) => {
  it.each(
    RELEASES.filter(
      (release, index) =>
        index === 0 || IMAGES.some(({name}) => name.startsWith(chart) && name.endsWith(`-${release}`)),
    ),
  )('is accepted by the start script of each of its images %s, file by file', async (release) => {
    const objects = await charts.render(chart)
    const starts = pods(objects).flatMap(({owner, spec}) =>
      spec.containers
        .filter(({command = []}) => command.includes('kolla_start'))
        .map((unit) => ({owner, ...startOf(objects, spec, unit)})),
    )
    expect(starts.length).toBeGreaterThan(0)

    for (const {owner, image, files} of starts) {
      const container = await containerOf(inRelease(image, release))
      const config = JSON.parse(files['config.json']!) as Written

      const {exitCode, says} = await container.configure(files)

      expect(exitCode, `${owner}: ${says}`).toBe(0)
      for (const {dest, owner: user, perm} of config.config_files) {
        const stat = await container.run(`stat -c '%U 0%a' ${dest}`, {user: 'root'})
        expect(stat.says.trim(), `${owner}: ${dest}`).toBe(`${user.split(':', 1)[0]} ${perm}`)
      }
      const program = await container.run(`type ${config.command.split(' ', 1)[0]}`)
      expect(program.exitCode, `${owner}: ${program.says}`).toBe(0)
      const [, module] = /^module = ([\w.]+):/m.exec(Object.values(files).join('\n')) ?? []
      if (module === undefined) continue
      const served = await container.run(
        `python3 -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("${module}") is None)'`,
      )
      expect(served.exitCode, `${owner}: ${module}: ${served.says}`).toBe(0)
    }
  })
})

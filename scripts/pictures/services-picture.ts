import {instance} from '@viz-js/viz'
import {readChart} from '../../src/charts/read-chart.ts'
import {build} from '../../src/graph/build.ts'
import {releaseId, releaseName} from '../../src/release.ts'
import {graphSvg} from '../../src/report/graph/graph-svg.ts'
import {readOwnCharts} from '../charts/read-charts.ts'

const NAMESPACE = 'openstack'

/** Returns what `kk graph --format svg` draws of an environment with a section for each service. */
export function servicesPicture(): Promise<string> {
  const services = readOwnCharts().filter(({values}) => values.components !== undefined)
  const charts = new Map(services.map(({name, directory}) => [name, readChart(directory)]))
  const idOf = (name: string) => releaseId(NAMESPACE, name)
  const graph = build({
    wanted: [...charts.keys()].map(idOf),
    requirementsOf: (release) =>
      charts
        .get(releaseName(release))
        ?.requires.map((requirement) => ({...requirement, release: idOf(requirement.release)})),
    suggest: () => undefined,
  })
  const isProtected = [...charts.values()].filter((chart) => chart.protected).map(({name}) => idOf(name))
  return graphSvg({environment: 'all', graph, protected: new Set(isProtected)}, {all: false}, instance)
}

import {infer} from '../../src/graph/inference/infer.ts'
import {renderedObjects} from '../../src/kubernetes/manifest/manifest.ts'
import {factsOfObjects} from '../../src/prepare/inference/manifests/facts-of.ts'
import {releaseId} from '../../src/release.ts'
import {printMeasured} from '../measure/own-process.ts'
import {chartName, largeManifest} from './large-charts.ts'

const NAMESPACE = 'openstack'
const CHARTS = 80

const charts = Array.from({length: CHARTS}, (_, index) => ({
  release: releaseId(NAMESPACE, chartName(index)),
  objects: renderedObjects(largeManifest(index, NAMESPACE)),
}))

await printMeasured(() => {
  const releases = charts.map(({release, objects}) => ({
    release,
    facts: factsOfObjects(objects, NAMESPACE),
    shared: false,
  }))
  const inferring = new Set(releases.map(({release}) => release))
  const stated = () => ({stated: new Set<never>(), without: new Set<never>()})
  const {requirements} = infer({releases, inferring, chartIndex: [], named: new Set(), stated})
  if (requirements.length === 0) throw new Error('nothing was inferred')
})

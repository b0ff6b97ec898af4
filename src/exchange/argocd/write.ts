import {isEmpty, type Values} from '../../base/values.ts'
import {
  type Exported,
  type ExportedFiles,
  type ExportedRelease,
  objectName,
  partName,
  releasesOf,
  waves,
  yaml,
  yamlStream,
} from '../exported.ts'

/** The namespace of Argo CD. */
const ARGOCD_NAMESPACE = 'argocd'
const API = 'argoproj.io/v1alpha1'
const SERVER = 'https://kubernetes.default.svc'

/** Returns an environment as Argo CD Applications in one project, each in the sync wave of its level. */
export function argocdApplications(exported: Exported): ExportedFiles {
  const files = waves(exported).flatMap((releases, wave) =>
    releases.map((release) => {
      const application = buildApplication(release, {environment: exported, wave})
      return [`applications/${release.name}.yaml`, yaml(application)] as const
    }),
  )
  return new Map([['project.yaml', yamlStream([buildProject(exported)])], ...files])
}

function buildProject(exported: Exported): Values {
  const releases = releasesOf(exported)
  const namespaces = [...new Set(releases.map(({namespace}) => namespace))]
  return {
    apiVersion: API,
    kind: 'AppProject',
    metadata: {name: objectName(exported.name), namespace: ARGOCD_NAMESPACE},
    spec: {
      sourceRepos: [...new Set(releases.map(repositoryUrl))],
      destinations: namespaces.map((namespace) => ({namespace, server: SERVER})),
      clusterResourceWhitelist: [{group: '*', kind: '*'}],
    },
  }
}

interface Placement {
  readonly environment: Pick<Exported, 'name' | 'separator'>
  readonly wave: number
}

function buildApplication(release: ExportedRelease, {environment, wave}: Placement): Values {
  const {name, namespace, chart, values} = release
  const annotations = release.protected ? {'argocd.argoproj.io/sync-options': 'Delete=false,Prune=false'} : {}
  const syncOptions = release.protected ? ['Delete=false', 'Prune=false'] : []
  return {
    apiVersion: API,
    kind: 'Application',
    metadata: {
      name: partName(environment, name),
      namespace: ARGOCD_NAMESPACE,
      labels: {'kk.openstack.org/environment': environment.name},
      annotations: {'argocd.argoproj.io/sync-wave': String(wave), ...annotations},
    },
    spec: {
      project: objectName(environment.name),
      destination: {namespace, server: SERVER},
      source: {
        repoURL: repositoryUrl(release),
        chart: chart.name,
        targetRevision: chart.version,
        helm: {releaseName: name, ...helmValues(values)},
      },
      syncPolicy: {
        automated: {},
        syncOptions: ['CreateNamespace=true', 'ServerSideApply=true', ...syncOptions],
      },
    },
  }
}

/**
 * A null that removes a chart default must be preserved, so values that contain one are written as a string.
 */
function helmValues(values: Values): Values {
  if (isEmpty(values)) return {}
  return holdsNull(values) ? {values: yaml(values)} : {valuesObject: values}
}

function holdsNull(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(holdsNull))
}

/** Argo CD writes registries without a scheme. */
function repositoryUrl({chart: {source}}: ExportedRelease): string {
  return (source?.url ?? '').replace(/^oci:\/\//, '')
}

import {KkError} from '../base/errors.ts'
import {formatLocation, type Source} from '../yaml/error.ts'

/** What identifies the kind of a file. Read without a YAML parser, because a helmfile may have templates. */
interface Outline {
  readonly text: string
  /** The scalar, or the empty string, of each top-level key; the last one of several documents. */
  readonly keys: ReadonlyMap<string, string>
}

interface Kind {
  readonly what: string
  readonly matches: (outline: Outline) => boolean
  /** Returns the command or the place that takes such a file. */
  readonly hint: (file: string) => string
}

/** Kinds of files of other tools, the first that matches. None of them matches an environment. */
const KINDS: readonly Kind[] = [
  {
    what: 'a globals.yml of kolla-ansible',
    matches: ({keys}) =>
      hasKey(keys, /^(kolla_|enable_|neutron_plugin_agent$|network_interface$|openstack_release$)/),
    hint: () =>
      'kk init creates an environment file; kk config merge converts /etc/kolla/config, and kk secrets import reads passwords.yml',
  },
  {
    what: 'a passwords.yml of kolla-ansible',
    matches: ({keys}) => hasKey(keys, /^[a-z0-9]+(_[a-z0-9]+)*_password$/),
    hint: (file) => `kk secrets import ${file}`,
  },
  {
    what: 'a helmfile',
    matches: ({text}) =>
      /^(releases|repositories|helmfiles):[ \t]*(#.*)?\n([ \t]*(#.*)?\n)*[ \t]*- /m.test(text),
    hint: (file) => `kk import ${file} --file kk.yaml`,
  },
  {
    what: 'an Armada manifest',
    matches: ({keys}) => /^armada\//.test(keys.get('schema') ?? ''),
    hint: (file) => `kk import ${file} --format armada --file kk.yaml`,
  },
  {
    what: 'objects of Flux',
    matches: ({text}) => /^apiVersion:\s*["']?\w+\.toolkit\.fluxcd\.io\//m.test(text),
    hint: (file) => `kk import ${file} --format flux --file kk.yaml`,
  },
  {
    what: 'objects of Argo CD',
    matches: ({text}) => /^apiVersion:\s*["']?argoproj\.io\//m.test(text),
    hint: (file) => `kk import ${file} --format argocd --file kk.yaml`,
  },
  {
    what: 'a Kubernetes manifest',
    matches: ({keys}) => Boolean(keys.get('apiVersion') && keys.get('kind')),
    hint: (file) => `kk deploys Helm charts: put its objects into a chart, or run kubectl apply -f ${file}`,
  },
  {
    what: 'the Chart.yaml of a Helm chart',
    matches: ({keys}) => Boolean(keys.get('apiVersion') && keys.get('name') && keys.get('version')),
    hint: () => 'list the directory that contains the chart in kk.charts, and give its release a section',
  },
  {
    what: 'a file of docker compose',
    matches: ({text, keys}) =>
      keys.has('services') &&
      [...keys.keys()].every((key) =>
        /^(name|version|services|networks|volumes|configs|secrets|include|x-.*)$/.test(key),
      ) &&
      /^ {2,}(image|build|container_name):/m.test(text),
    hint: () => 'kk deploys Helm charts; kk init creates an environment file',
  },
  {
    what: 'the values of one chart',
    matches: ({text, keys}) =>
      hasKey(
        keys,
        /^(replicaCount|nameOverride|fullnameOverride|nodeSelector|imagePullSecrets|serviceAccount)$/,
      ) ||
      // One of them may be a map that sections refer to, with an anchor.
      (text.match(/^(conf|endpoints|images|manifests|pod):(?![ \t]*&)/gm) ?? []).length > 1 ||
      /^images:[ \t]*(#.*)?\n( .*\n|#.*\n|\n)*? {2,}tags:/m.test(text),
    hint: (file) =>
      `put them below the name of their release, or name the file there: kk.releases.RELEASE.values: [${file}]; for one run: --values RELEASE=${file}`,
  },
]

/** Throws `KK_ENVIRONMENT` for a file that another tool reads; the hint names what takes it. */
export function refuseForeignFile(source: Source): void {
  const keys = topLevelKeys(source.text)
  if (keys.has('kk')) return
  const kind = KINDS.find(({matches}) => matches({text: source.text, keys}))
  if (!kind) return
  const message = `${formatLocation(source, 0)}: expected an environment file, got ${kind.what}`
  throw new KkError('KK_ENVIRONMENT', message, {hint: kind.hint(source.file)})
}

function hasKey(keys: ReadonlyMap<string, string>, pattern: RegExp): boolean {
  return [...keys.keys()].some((key) => pattern.test(key))
}

function topLevelKeys(text: string): ReadonlyMap<string, string> {
  const lines = text.matchAll(/^["']?([A-Za-z_][\w.-]*)["']?[ \t]*:(?:[ \t]+["']?([^"'#\s{[&*][^\s"']*))?/gm)
  return new Map([...lines].map(([, key = '', scalar = '']) => [key, scalar]))
}

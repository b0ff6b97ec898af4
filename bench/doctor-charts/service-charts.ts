import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'

/** As many named templates as openstack-helm's library has, each used by some of the charts' files. */
const DEFINES = 120
/** Deployments and Jobs of a chart, each with a ConfigMap of scripts. */
const WORKLOADS = 14

/**
 * Writes charts similar to openstack-helm's: a large library, many computed values, a random key if no value
 * is given.
 */
export async function writeServiceCharts(directory: string, count: number): Promise<readonly string[]> {
  const names = Array.from({length: count}, (_, index) => `svc${String(index).padStart(2, '0')}`)
  await write(join(directory, 'toolkit'), {
    'Chart.yaml': 'apiVersion: v2\nname: toolkit\nversion: 1.0.0\ntype: library\n',
    'templates/_toolkit.tpl': library(),
  })
  for (const [index, name] of names.entries())
    await write(join(directory, name), {
      'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\ndependencies:\n  - {name: toolkit, version: 1.0.0, repository: "file://../toolkit"}\n`,
      'values.yaml': values(),
      'templates/secret.yaml': secret(name),
      ...Object.fromEntries(
        Array.from({length: WORKLOADS}, (_, each) => [
          `templates/workload-${each}.yaml`,
          workload(name, each, names[index - 1]),
        ]),
      ),
    })
  return names
}

async function write(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(directory, 'templates'), {recursive: true})
  for (const [path, text] of Object.entries(files)) await writeFile(join(directory, path), text)
}

function library(): string {
  const define = (index: number) => `{{- define "toolkit.part${index}" -}}
{{- $context := index . 0 -}}
{{- $name := index . 1 -}}
{{- range $key, $value := $context.Values.settings }}
{{- if and (ne $key "none") (hasKey $context.Values.settings $key) }}
- name: {{ printf "%s_%s_${index}" $name $key | upper | replace "-" "_" | quote }}
  value: {{ tpl (toString $value) $context | quote }}
{{- end }}
{{- end }}
{{- end -}}
`
  return Array.from({length: DEFINES}, (_, index) => define(index)).join('\n')
}

function values(): string {
  const settings = Array.from(
    {length: 24},
    (_, index) => `  setting_${index}: "value ${index} of {{ .Release.Name }}"`,
  )
  return `images: {tags: {api: registry.example.org/service:1}}\nkey: null\nsettings:\n${settings.join('\n')}\n`
}

function secret(name: string): string {
  return `{{- $key := .Values.key | default (randAlphaNum 32) }}
apiVersion: v1
kind: Secret
metadata: {name: ${name}-etc}
stringData:
  service.conf: |
    [keystone_authtoken]
    memcache_secret_key = {{ $key }}
`
}

function workload(name: string, index: number, before: string | undefined): string {
  const isJob = index % 3 === 0
  const variables = Array.from(
    {length: 4},
    (_, each) =>
      `{{ tuple . "${name}-${index}" | include "toolkit.part${(index * 4 + each) % DEFINES}" | indent 12 }}`,
  )
  const waits = before === undefined ? '' : before
  const scripts = Array.from(
    {length: 60},
    (_, line) => `    echo "step ${line} of {{ .Release.Name }}" && sleep 1`,
  )
  return `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}-${index}-bin}
data:
  start.sh: |
    #!/bin/bash
${scripts.join('\n')}
---
apiVersion: v1
kind: Service
metadata: {name: ${name}${index === 1 ? '' : `-${index}`}}
spec: {selector: {app: ${name}-${index}}, ports: [{port: 80}]}
---
apiVersion: ${isJob ? 'batch/v1' : 'apps/v1'}
kind: ${isJob ? 'Job' : 'Deployment'}
metadata:
  name: ${name}-${index}
${isJob ? '  annotations: {"helm.sh/hook": "post-install,post-upgrade", "helm.sh/hook-delete-policy": before-hook-creation}\n' : ''}spec:
${isJob ? '' : `  selector: {matchLabels: {app: ${name}-${index}}}\n`}  template:
    metadata: {labels: {app: ${name}-${index}}}
    spec:
${isJob ? '      restartPolicy: OnFailure\n' : ''}      initContainers:
        - name: init
          image: {{ .Values.images.tags.api }}
          env:
            - {name: DEPENDENCY_SERVICE, value: "${waits}"}
            - {name: DEPENDENCY_JOBS, value: "${isJob ? '' : `${name}-0`}"}
      containers:
        - name: main
          image: {{ .Values.images.tags.api }}
          env:
${variables.join('\n')}
`
}

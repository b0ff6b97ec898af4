import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'

/** A quarter of the objects of a chart: equal numbers of Deployments, Services, ConfigMaps and Secrets. */
const OF_EACH_KIND = 25

/**
 * The manifest of a chart of 100 objects in openstack-helm's dialect, which waits for the charts with smaller
 * numbers.
 */
export function largeManifest(index: number, namespace: string): string {
  const name = chartName(index)
  const required = [index - 1, Math.floor(index / 2), 0].filter((each) => each >= 0 && each < index)
  const waits = required.map((each) => `${namespace}:${chartName(each)}-1`).join(',')
  const hosts = required.map((each) => `mysql://user:pass@${chartName(each)}-2.${namespace}.svc:8080/x`)
  const numbers = Array.from({length: OF_EACH_KIND}, (_, number) => `${name}-${number}`)
  return numbers
    .flatMap((own) => [deployment(own, waits), service(own), configMap(own, hosts), secret(own)])
    .map((text) => `---\n# Source: ${name}/templates/all.yaml\n${text}`)
    .join('')
}

/** Writes such charts below a directory, for kk.charts; templates wait only in `openstack`. */
export async function writeLargeCharts(directory: string, count: number): Promise<readonly string[]> {
  const names = Array.from({length: count}, (_, index) => chartName(index))
  for (const [index, name] of names.entries()) {
    await mkdir(join(directory, name, 'templates'), {recursive: true})
    await writeFile(join(directory, name, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`)
    await writeFile(join(directory, name, 'values.yaml'), 'replicas: 1\n')
    await writeFile(join(directory, name, 'templates/all.yaml'), largeManifest(index, 'openstack'))
  }
  return names
}

export function chartName(index: number): string {
  return `service${String(index).padStart(2, '0')}`
}

function deployment(name: string, waits: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels: {application: ${name}, component: server}
spec:
  replicas: 1
  selector: {matchLabels: {application: ${name}, component: server}}
  template:
    metadata:
      labels: {application: ${name}, component: server}
    spec:
      initContainers:
        - name: init
          image: registry.example.org/kubernetes-entrypoint:latest
          env:
            - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
            - {name: INTERFACE_NAME, value: eth0}
            - {name: DEPENDENCY_SERVICE, value: "${waits}"}
            - {name: DEPENDENCY_JOBS, value: ""}
          command: [kubernetes-entrypoint]
      containers:
        - name: main
          image: registry.example.org/service:2025.1
          ports: [{containerPort: 8080}]
          readinessProbe: {httpGet: {path: /, port: 8080}}
          volumeMounts:
            - {name: etc, mountPath: /etc/service/service.conf, subPath: service.conf}
      volumes:
        - name: etc
          secret: {secretName: ${name}-etc}
        - name: bin
          configMap: {name: ${name}-bin, defaultMode: 0555}
`
}

function service(name: string): string {
  return `apiVersion: v1
kind: Service
metadata:
  name: ${name}
spec:
  selector: {application: ${name}}
  ports: [{name: api, port: 8080}]
`
}

function configMap(name: string, hosts: readonly string[]): string {
  const lines = Array.from({length: 20}, (_, line) => `    option_${line} = value of ${name}, number ${line}`)
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}-bin
data:
  service.conf: |
    [DEFAULT]
${lines.join('\n')}
${hosts.map((host) => `    connection = ${host}`).join('\n')}
`
}

function secret(name: string): string {
  const text = Buffer.from(`[database]\nconnection = mysql://${name}:password@db.example.org:3306/${name}\n`)
  return `apiVersion: v1
kind: Secret
metadata:
  name: ${name}-etc
data:
  service.conf: ${text.toString('base64')}
`
}

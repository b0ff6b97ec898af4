{{- /*
The reference of an image: the full `images.tags.<key>`, or `images.tags.<service>` for the chart's own image
and `images.tags.<name>` for another one, otherwise by the formula from .name, kolla's name of it, and .tag,
if all releases of OpenStack have the same. The deployer sets images that kk does not build. A reference
without a fixed tag is refused, so that the same values always run the same image.
*/ -}}
{{- define "common.context.image" -}}
{{- $images := .ctx.values.images -}}
{{- $service := ternary .ctx.chart .name (eq .name .ctx.root.Values.image) -}}
{{- $reference := include "common.context.pick" (dict "ctx" .ctx "key" .key "of" $images.tags "service" $service) | mustFromJson -}}
{{- if not $reference -}}
{{- $name := .name | required (printf "kk has no image of %s: name yours in images.tags.%s" .ctx.chart ($service | replace "-" "_")) -}}
{{- $name = list $images.distro $images.type $name | compact | join "-" -}}
{{- $reference = list $images.registry $images.namespace $name | compact | join "/" -}}
{{- with .tag | default $images.tag }}{{- $reference = printf "%s:%v" $reference . -}}{{- end -}}
{{- end -}}
{{- $hasTag := regexMatch "^[^@]+:[^/:@]+(@sha256:[0-9a-f]{64})?$|@sha256:[0-9a-f]{64}$" $reference -}}
{{- if or (not $hasTag) (regexMatch ":latest(@|$)" $reference) -}}
{{- fail (printf "image %q %s: set images.tag, or images.tags.%s, to a fixed tag" $reference (ternary "is a moving target" "has no tag" $hasTag) (.key | replace "-" "_")) -}}
{{- end -}}
{{- $reference -}}
{{- end -}}

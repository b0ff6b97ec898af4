{{- /*
The reference of an image: `images.tags.<key>` whole, else by the formula from .name, the name that kolla gave it.
A reference without a fixed tag is refused: what runs must not depend on the day.
*/ -}}
{{- define "common.context.image" -}}
{{- $images := .ctx.values.images -}}
{{- $reference := include "common.context.pick" (dict "ctx" .ctx "key" .key "of" $images.tags) | mustFromJson -}}
{{- if not $reference -}}
{{- $name := list $images.distro $images.type .name | compact | join "-" -}}
{{- $reference = list $images.registry $images.namespace $name | compact | join "/" -}}
{{- with $images.tag }}{{- $reference = printf "%s:%v" $reference . -}}{{- end -}}
{{- end -}}
{{- if not (regexMatch "^[^@]+:[^/:@]+(@sha256:[0-9a-f]{64})?$|@sha256:[0-9a-f]{64}$" $reference) -}}
{{- fail (printf "image %q has no tag: set images.tag, or images.tags.%s to a reference with a fixed tag" $reference (.key | replace "-" "_")) -}}
{{- end -}}
{{- if regexMatch ":latest(@|$)" $reference -}}
{{- fail (printf "image %q is a moving target: set images.tag, or images.tags.%s, to a fixed tag instead of latest" $reference (.key | replace "-" "_")) -}}
{{- end -}}
{{- $reference -}}
{{- end -}}

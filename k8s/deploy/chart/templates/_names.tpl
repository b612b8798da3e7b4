{{/* Names, labels, and the profile of the worker. */}}

{{- define "temper.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "temper.worker" -}}{{ include "temper.fullname" . }}-worker{{- end }}

{{- define "temper.workerAccount" -}}
{{- .Values.serviceAccounts.worker.name | default (ternary (include "temper.worker" .) "default" .Values.serviceAccounts.worker.create) }}
{{- end }}

{{- define "temper.trainerAccount" -}}
{{- .Values.serviceAccounts.trainer.name | default (ternary (printf "%s-trainer" (include "temper.fullname" .)) "default" .Values.serviceAccounts.trainer.create) }}
{{- end }}

{{- define "temper.rendezvous" -}}{{ include "temper.fullname" . }}-workers{{- end }}

{{- define "temper.storeClaim" -}}
{{- .Values.store.claim | default (printf "%s-store" (include "temper.fullname" .)) }}
{{- end }}

{{- define "temper.ledgerClaim" -}}
{{- .Values.ledger.sqlite.claim | default (printf "%s-ledger" (include "temper.fullname" .)) }}
{{- end }}

{{- define "temper.selector" -}}
app.kubernetes.io/name: temper-worker
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "temper.labels" -}}
{{ include "temper.selector" . }}
app.kubernetes.io/part-of: temper
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* What the chart knows counts before what the values say. */}}
{{- define "temper.profile" -}}
{{- $store := dict "claim" (include "temper.storeClaim" .) "path" .Values.store.path }}
{{- with .Values.store.subPath }}{{ $_ := set $store "subPath" . }}{{ end }}
{{- $own := dict "backend" "kubernetes" "namespace" .Release.Namespace "store" $store "serviceAccount" (include "temper.trainerAccount" .) "rendezvousService" (include "temper.rendezvous" .) }}
{{- if .Values.ledger.postgres }}{{ $_ := set $own "ledger" (dict "postgres" (dict "env" "TEMPER_LEDGER")) }}{{ end }}
{{- toYaml (mergeOverwrite (deepCopy .Values.profile) $own) }}
{{- end }}

{{/* A variable from a Secret: call with (dict "name" VARIABLE "from" {name, key}). */}}
{{- define "temper.secretVariable" -}}
- name: {{ .name | quote }}
  valueFrom:
    secretKeyRef: {name: {{ .from.name | quote }}, key: {{ .from.key | quote }}}
{{- end }}

{{/* A claim that outlives the release: call with (dict "root" $ "name" NAME "mode" MODE "of" VALUES). */}}
{{- define "temper.claim" -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ .name | quote }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels: {{- include "temper.labels" .root | nindent 4 }}
  annotations:
    helm.sh/resource-policy: keep
spec:
  accessModes: [{{ .mode }}]
  {{- if .of.volume }}
  storageClassName: {{ .of.storageClass | quote }}
  volumeName: {{ .of.volume | quote }}
  {{- else if .of.storageClass }}
  storageClassName: {{ .of.storageClass | quote }}
  {{- end }}
  resources:
    requests:
      storage: {{ .of.size | quote }}
{{- end }}

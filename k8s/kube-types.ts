/** The shapes of Kubernetes' objects as plain JSON, from the client library's classes. Does not cover values: nothing of the library is loaded here. */
import type {
  CoreV1Event,
  V1EnvVar,
  V1Job,
  V1Pod,
  V1PodSpec,
  V1PodTemplateSpec,
  V1Service,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';

/** What a class of the library looks like as JSON: its constructor and its dates are of no use here. */
type Plain<T> = T extends Date
  ? string
  : T extends readonly (infer Entry)[]
    ? Plain<Entry>[]
    : T extends object
      ? { [Key in keyof T]: Plain<T[Key]> }
      : T;

/** As a server sends it. */
type Sent<T> = T & { metadata: { name: string; uid: string; resourceVersion: string; creationTimestamp: string } };

export type EnvVar = Plain<V1EnvVar>;
export type Job = Plain<V1Job>;
export type PodSpec = Plain<V1PodSpec>;
export type PodTemplate = Plain<V1PodTemplateSpec>;
export type Service = Plain<V1Service>;
export type Volume = Plain<V1Volume>;
export type VolumeMount = Plain<V1VolumeMount>;

export type SentEvent = Sent<Plain<CoreV1Event>>;
export type SentJob = Sent<Job>;
export type SentPod = Sent<Plain<V1Pod>>;
/** A pod as it was last seen, which may be long ago. */
export type SeenPod = SentPod & {
  readonly isGone?: true;
  /** When it was asked to end, where that was seen: the time of its deletion is moved when its node confirms it. */
  readonly endingSince?: string;
  /** It was seen to have ended before anybody asked it to. */
  readonly endedUnasked?: true;
};

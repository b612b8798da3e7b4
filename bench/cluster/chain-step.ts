/** What a step of a chain is, for both contenders: a pod of a shell that lasts about half a second. */

export const stepsOfChain = 5;

export const stepName = (number: number): string => `step-${String(number)}`;

/** For `sh -c`. */
export const stepScript = 'sleep 0.5';

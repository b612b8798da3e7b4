/** How often a watched job is told to Temporal, at most. Seconds. */

/** A killed worker is to be noticed, and a stall. */
export const usualHeartbeatSeconds = 10;

/** Where server and worker are one machine's, and no beat is billed. */
export const watchedCloselySeconds = 1;

/** A cancel is noticed that much later. */
export const mostHeartbeatSeconds = 600;

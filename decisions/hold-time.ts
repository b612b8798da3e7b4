/** For how long a phase is held for a person before it fails: one phrase for the timer, the pages and the messages. */
export const holdTime = '24 hours';

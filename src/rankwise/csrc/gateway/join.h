/* How the processes of all sites find one another. */
#ifndef JOIN_H
#define JOIN_H

/* After the library's MPI_Init: fills `world` and opens the connections. Ends the job with the
 * reason if somebody does not come. Without RANKWISE_JOIN there is nothing to do: false. */
int meet(void);

#endif

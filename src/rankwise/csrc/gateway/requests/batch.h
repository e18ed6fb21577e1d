/* Messages that belong together: the parts of one call, which ends when all of them have. */
#ifndef BATCH_H
#define BATCH_H

#include "call_tags.h"
#include "request.h"

typedef struct Batch Batch;

/* For at most so many messages on this communicator. NULL: there is no memory. */
Batch *new_batch(Joined *joined, int most);

/* The same for a collective call on the communicator's own messages, which has these tags until
 * all have ended, or, of NULL, those of the next call, for which it may have to wait. */
Batch *new_call(const Joined *joined, int most, CallTags *tags);
CallTags *tags_of(const Batch *batch);

/* These begin a message, unless an earlier one of the batch could not be begun. The copy of what is
 * sent lives as long as the batch. */
void batch_receive(Batch *batch, void *buffer, MPI_Count count, MPI_Datatype type, int source,
                   int tag);
void batch_send(Batch *batch, const void *buffer, MPI_Count count, MPI_Datatype type, int dest,
                int tag);
void batch_send_copy(Batch *batch, const void *buffer, MPI_Count count, MPI_Datatype type, int dest,
                     int tag);

/* A request of whatever kind that has begun, unless `code` is an error. */
void batch_add(Batch *batch, MPI_Request request, int code);

/* What is to be done when all have ended: it may begin more, and returns whether there is something
 * to wait for again. After an error it only frees what it works with. */
typedef bool Stage(Batch *batch, void *work);
void then(Batch *batch, Stage *next, void *work);

/* Of a collective call: all its stages, the first one as soon as its tags are free. */
void begin_stages(Batch *batch, Stage *first, void *work);
int batch_code(const Batch *batch);
void batch_fails(Batch *batch, int code); /* unless it is MPI_SUCCESS */

/* Of what is a message out and one in, and has the status of the last one; of anything else. */
extern const RequestKind exchanges, operations;

/* Waits for all, or hands out a request of this kind that ends with them. The batch goes with it.
 * An error code, of whatever message it came from. */
int end_batch(Batch *batch, Joined *joined, const RequestKind *kind, MPI_Request *request);

/* What has a request goes on. */
bool progress_batches(void);

#endif

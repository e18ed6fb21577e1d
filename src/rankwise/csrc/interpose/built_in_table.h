/* The decision table (table.h) that is taken without any measurement: between sites small messages
 * cross the long links once, large ones on several ways at once; one site is the library's own.
 * Where a site's blocks pass through one rank, as many as it has ranks, small ends early. Not
 * gatherv, scatterv and alltoallv (they have no `bytes`), whose ranks would have to tell each other
 * their counts first. */
#ifndef RANKWISE_BUILT_IN_TABLE_H
#define RANKWISE_BUILT_IN_TABLE_H

#define BUILT_IN_TABLE                                                                             \
    "# rankwise overlay 1\n"                                                                       \
    "bcast          sites=2- bytes=-16K one_crossing\n"                                            \
    "bcast          sites=2- lanes\n"                                                              \
    "reduce         sites=2- bytes=-16K one_crossing\n"                                            \
    "reduce         sites=2- lanes\n"                                                              \
    "allreduce      sites=2- bytes=-16K one_crossing\n"                                            \
    "allreduce      sites=2- lanes\n"                                                              \
    "reduce_scatter sites=2- bytes=-1K one_crossing\n"                                             \
    "reduce_scatter sites=2- lanes\n"                                                              \
    "gather         sites=2- bytes=-16 one_crossing\n"                                             \
    "gather         sites=2- bytes=16- lanes\n"                                                    \
    "scatter        sites=2- bytes=-16 one_crossing\n"                                             \
    "scatter        sites=2- bytes=16- lanes\n"                                                    \
    "allgather      sites=2- bytes=-16 one_crossing\n"                                             \
    "allgather      sites=2- bytes=16- lanes\n"                                                    \
    "alltoall       sites=2- bytes=-16 one_crossing\n"                                             \
    "alltoall       sites=2- bytes=16- lanes\n"                                                    \
    "barrier        sites=2- one_crossing\n"                                                       \
    "scan           sites=2- one_crossing\n"                                                       \
    "exscan         sites=2- one_crossing\n"

#endif

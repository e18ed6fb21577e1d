#ifndef OWN_ATTRIBUTES_H
#define OWN_ATTRIBUTES_H

/* Those of MPI_COMM_SELF. */
void delete_own_attributes(void);

#endif

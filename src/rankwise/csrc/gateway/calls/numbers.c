/* Handles of ours as numbers: beyond what libraries count from 0, and no address. The mirrors know
 * this range (csrc/abi/mirror/fortran_handles.c). */
#include "calls.h"
#include "slots.h"

enum { NUMBERS_OF_OURS = 1 << 25 };

int call_Request_toint(MPI_Request request)
{
    return is_slot(request) ? NUMBERS_OF_OURS + (int)number_of_slot(request)
                            : below.Request_toint(request);
}

MPI_Request call_Request_fromint(int request)
{
    if (request >= NUMBERS_OF_OURS && request < NUMBERS_OF_OURS + SLOT_COUNT)
        return slot_of_number((uint64_t)(request - NUMBERS_OF_OURS), REQUEST_SLOT);
    return below.Request_fromint(request);
}

int call_Message_toint(MPI_Message message)
{
    return is_slot(message) ? NUMBERS_OF_OURS + (int)number_of_slot(message)
                            : below.Message_toint(message);
}

MPI_Message call_Message_fromint(int message)
{
    if (message >= NUMBERS_OF_OURS && message < NUMBERS_OF_OURS + SLOT_COUNT)
        return slot_of_number((uint64_t)(message - NUMBERS_OF_OURS), MESSAGE_SLOT);
    return below.Message_fromint(message);
}

int call_Group_toint(MPI_Group group)
{
    if (is_slot(group))
        return NUMBERS_OF_OURS + (int)number_of_slot(group);
    return below.Group_toint(group);
}

MPI_Group call_Group_fromint(int group)
{
    if (group >= NUMBERS_OF_OURS && group < NUMBERS_OF_OURS + SLOT_COUNT)
        return slot_of_number((uint64_t)(group - NUMBERS_OF_OURS), GROUP_SLOT);
    return below.Group_fromint(group);
}

/* MPI's functions for a request. */
#include "calls.h"
#include "gateway.h"
#include "persistent.h"
#include "progress.h"
#include "requests.h"

int call_Wait(MPI_Request *request, MPI_Status *status)
{
    return finish(request, status);
}

int call_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (world.started)
        progress();
    return look_at(request, flag, status);
}

int call_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    if (world.started)
        progress();
    return peek(request, flag, status);
}

int call_Cancel(MPI_Request *request)
{
    return cancel(request);
}

int call_Request_free(MPI_Request *request)
{
    return let_go(request);
}

int call_Start(MPI_Request *request)
{
    return start(request);
}

int call_Startall(int count, MPI_Request requests[])
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        code = start(&requests[i]);
    return code;
}

#include "pool.h"

#include <pthread.h>

static pthread_mutex_t choosing = PTHREAD_MUTEX_INITIALIZER;

int pool_number(Pool *pool, AnyFunction *function)
{
    int number = 0;
    pthread_mutex_lock(&choosing);
    while (number < pool->used && pool->functions[number] != function)
        number++;
    if (number < POOL_SIZE)
        pool->functions[number] = function;
    if (number == pool->used && number < POOL_SIZE)
        pool->used++;
    pthread_mutex_unlock(&choosing);
    return number < POOL_SIZE ? number : -1;
}

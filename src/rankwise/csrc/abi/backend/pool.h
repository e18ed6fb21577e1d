/* Functions that an MPI can be given where it passes on no argument of the user's: one for each
 * number. */
#ifndef POOL_H
#define POOL_H

/* clang-format off */
#define EIGHT(M, a) \
    M(a##0) M(a##1) M(a##2) M(a##3) M(a##4) M(a##5) M(a##6) M(a##7)
#define SIXTY_FOUR(M, a) \
    EIGHT(M, a##0) EIGHT(M, a##1) EIGHT(M, a##2) EIGHT(M, a##3) \
    EIGHT(M, a##4) EIGHT(M, a##5) EIGHT(M, a##6) EIGHT(M, a##7)
/* M(0000) to M(0777): octal numbers. */
#define POOL(M) \
    SIXTY_FOUR(M, 00) SIXTY_FOUR(M, 01) SIXTY_FOUR(M, 02) SIXTY_FOUR(M, 03) \
    SIXTY_FOUR(M, 04) SIXTY_FOUR(M, 05) SIXTY_FOUR(M, 06) SIXTY_FOUR(M, 07)
/* clang-format on */

enum { POOL_SIZE = 512 };

typedef void AnyFunction(void);

/* Which user's function each number stands for. It is never given back: whoever brings the same
   function again gets the same number, however many handles were freed meanwhile. */
typedef struct {
    AnyFunction *functions[POOL_SIZE];
    int used;
} Pool;

/* The number of this function; -1 if there are POOL_SIZE others already. */
int pool_number(Pool *pool, AnyFunction *function);

#endif

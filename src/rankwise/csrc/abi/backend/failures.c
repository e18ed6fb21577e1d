/* Error codes, and what happens when a function cannot be carried out. */
#include "failures.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"

enum { NATIVE_CLASSES = 1024, MOST_ADDED = 4096 };

static int native_of[ERROR_CLASSES], abi_of[NATIVE_CLASSES];
static int added[MOST_ADDED], added_count;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
static __thread int instead;

void define_error(int abi, int native)
{
    native_of[abi] = native;
    if (native >= 0 && native < NATIVE_CLASSES && !abi_of[native])
        abi_of[native] = abi;
}

static int is_missing(int code)
{
    return code >= MISSING_FUNCTIONS && code < MISSING_FUNCTIONS + function_count;
}

int to_error(int code)
{
    if (code >= ADDED_ERRORS && code <= last_added_error())
        return added[code - ADDED_ERRORS];
    if (is_missing(code))
        code = ABI_ERR_UNSUPPORTED_OPERATION;
    if (code <= 0 || code >= ERROR_CLASSES)
        return code;
    return native_of[code] ? native_of[code] : MPI_ERR_OTHER;
}

int error_class_of(int native)
{
    int class = native;
    PMPI_Error_class(native, &class);
    return class;
}

int from_error(int native)
{
    if (native == MPI_SUCCESS)
        return ABI_SUCCESS;
    for (int i = 0; i < __atomic_load_n(&added_count, __ATOMIC_ACQUIRE); i++)
        if (added[i] == native)
            return ADDED_ERRORS + i;
    const int class = error_class_of(native);
    if (class > 0 && class < NATIVE_CLASSES && abi_of[class])
        return abi_of[class];
    return from_added_error(class);
}

int from_added_error(int native)
{
    pthread_mutex_lock(&adding);
    int place = 0;
    while (place < added_count && added[place] != native)
        place++;
    if (place == added_count && place < MOST_ADDED) {
        added[place] = native;
        __atomic_store_n(&added_count, added_count + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&adding);
    return place < MOST_ADDED ? ADDED_ERRORS + place : ABI_ERR_OTHER;
}

int last_added_error(void)
{
    const int count = __atomic_load_n(&added_count, __ATOMIC_ACQUIRE);
    return count ? ADDED_ERRORS + count - 1 : ABI_ERR_LASTCODE;
}

int call_Error_class(int errorcode, int *errorclass)
{
    if (is_missing(errorcode) || errorcode < ERROR_CLASSES) {
        *errorclass = is_missing(errorcode) ? ABI_ERR_UNSUPPORTED_OPERATION : errorcode;
        return ABI_SUCCESS;
    }
    const int code = PMPI_Error_class(to_error(errorcode), errorclass);
    if (!code)
        *errorclass = from_error(*errorclass);
    return from_code(code);
}

/* Our own words for what the native library has no number of; 0 where it has. */
static int own_words(int code, char *string)
{
    if (is_missing(code))
        return snprintf(string, ABI_MAX_ERROR_STRING, "%s: " BUILT_FOR " does not have it",
                        function_names[code - MISSING_FUNCTIONS]);
    if (code > 0 && code < ERROR_CLASSES && error_names[code] && !native_of[code])
        return snprintf(string, ABI_MAX_ERROR_STRING, "%s", error_names[code]);
    return 0;
}

int call_Error_string(int errorcode, char *string, int *resultlen)
{
    if ((*resultlen = own_words(errorcode, string)))
        return ABI_SUCCESS;
    return from_code(PMPI_Error_string(to_error(errorcode), string, resultlen));
}

int told_instead(void)
{
    return instead;
}

static int is_running(void)
{
    int started = 0, ended = 0;
    PMPI_Initialized(&started);
    PMPI_Finalized(&ended);
    return started && !ended;
}

static void say(int code)
{
    char words[ABI_MAX_ERROR_STRING];
    if (!own_words(code, words))
        snprintf(words, sizeof words, "%s",
                 code < ERROR_CLASSES && error_names[code] ? error_names[code] : "error");
    fprintf(stderr, "libmpi_abi: %s\n", words);
}

static int is_fatal(MPI_Errhandler handler)
{
#ifdef KNOWS_ERRORS_ABORT
    if (handler == MPI_ERRORS_ABORT)
        return 1;
#endif
    return handler == MPI_ERRORS_ARE_FATAL;
}

#define REFUSE(kind, null)                                                                         \
    int refuse_##kind(int code, MPI_##kind handle)                                                 \
    {                                                                                              \
        MPI_Errhandler handler;                                                                    \
        if (!is_running() || handle == (null) ||                                                   \
            PMPI_##kind##_get_errhandler(handle, &handler) != MPI_SUCCESS)                         \
            return code;                                                                           \
        if (is_fatal(handler))                                                                     \
            say(code);                                                                             \
        instead = code;                                                                            \
        PMPI_##kind##_call_errhandler(handle, to_error(code));                                     \
        instead = 0;                                                                               \
        return code;                                                                               \
    }

#ifdef KNOWS_Comm_call_errhandler
REFUSE(Comm, MPI_COMM_NULL)
#else /* LAM/MPI: only a fatal handler can be done justice to */
int refuse_Comm(int code, MPI_Comm comm)
{
    MPI_Errhandler handler;
    if (is_running() && comm != MPI_COMM_NULL &&
        PMPI_Errhandler_get(comm, &handler) == MPI_SUCCESS && is_fatal(handler)) {
        say(code);
        PMPI_Abort(comm, code);
    }
    return code;
}
#endif

#if defined(KNOWS_Win_call_errhandler)
REFUSE(Win, MPI_WIN_NULL)
#elif defined(KNOWS_WIN_NULL)
int refuse_Win(int code, MPI_Win win)
{
    (void)win;
    return code;
}
#endif

#if defined(KNOWS_File_call_errhandler)
REFUSE(File, MPI_FILE_NULL)
#elif defined(KNOWS_FILE_NULL)
int refuse_File(int code, MPI_File file)
{
    (void)file;
    return code;
}
#endif

/* Lines of words from a text file, and errors that name the file and the line. */
#ifndef RANKWISE_TEXT_FILE_H
#define RANKWISE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *path;
    char *text, *next; /* next: the line that next_line gives */
    int line;          /* the newest line's number, from 1; 0: none yet */
    char *error;       /* where errors are written to */
    size_t error_size;
} TextFile;

/* Reads the file, whose first line must be `first`. False: `error` says why; close_text in any
 * case. */
bool open_text(TextFile *f, const char *path, const char *first, char *error, size_t error_size);
void close_text(TextFile *f);

/* The next line that has words, without its comment, which '#' begins; NULL: there is none. */
char *next_line(TextFile *f);

/* The next word of a line, NULL: there is none; and as a number from 0 to `most`. */
char *next_word(char **rest);
bool next_number(char **rest, int64_t most, int64_t *number);

/* A number from 0 to `most` with K, M or G behind it (64K); *text moves behind it. */
bool read_size(const char **text, int64_t most, int64_t *size);

/* Writes the error, with the file's name and the newest line before it. Always false. */
__attribute__((format(printf, 2, 3))) bool text_fault(TextFile *f, const char *format, ...);

#endif

/* Lines of words from a text file, and errors that name the file and the line. */
#include "text_file.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool text_fault(TextFile *f, const char *format, ...)
{
    const int written = f->line ? snprintf(f->error, f->error_size, "%s:%d: ", f->path, f->line)
                                : snprintf(f->error, f->error_size, "%s: ", f->path);
    const size_t used = written > 0 ? (size_t)written : 0;
    va_list arguments;
    va_start(arguments, format);
    if (used < f->error_size)
        vsnprintf(f->error + used, f->error_size - used, format, arguments);
    va_end(arguments);
    return false;
}

static bool read_all(TextFile *f, FILE *stream)
{
    enum { PIECE = 65536 };
    size_t length = 0, got = 1;
    while (got) {
        char *longer = realloc(f->text, length + PIECE + 1);
        if (!longer)
            return text_fault(f, "no memory to read it");
        f->text = longer;
        got = fread(f->text + length, 1, PIECE, stream);
        length += got;
    }
    if (ferror(stream))
        return text_fault(f, "cannot be read to its end");
    f->text[length] = '\0';
    return strlen(f->text) == length || text_fault(f, "is not a text: it has a zero byte");
}

bool open_text(TextFile *f, const char *path, const char *first, char *error, size_t error_size)
{
    *f = (TextFile){.path = path, .error = error, .error_size = error_size};
    FILE *stream = fopen(path, "r");
    if (!stream)
        return text_fault(f, "cannot be read: %s", strerror(errno));
    const bool whole = read_all(f, stream);
    fclose(stream);
    if (!whole)
        return false;
    f->next = f->text;
    const size_t known = strlen(first);
    f->line = 1;
    if (strncmp(f->text, first, known) != 0 || !strchr("\r\n", f->text[known]))
        return text_fault(f, "its first line is not '%s'", first);
    f->line = 0;
    return true;
}

void close_text(TextFile *f)
{
    free(f->text);
    f->text = f->next = NULL;
}

char *next_line(TextFile *f)
{
    while (*f->next) {
        char *line = f->next, *end = line + strcspn(line, "\n");
        f->next = *end ? end + 1 : end;
        f->line++;
        *end = '\0';
        line[strcspn(line, "#\r")] = '\0';
        line += strspn(line, " \t");
        if (*line)
            return line;
    }
    return NULL;
}

char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t");
    char *end = word + strcspn(word, " \t");
    if (word == end)
        return NULL;
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* Digits as a number of at most `most`; *text moves behind them. */
static bool read_digits(const char **text, int64_t most, int64_t *number)
{
    const char *at = *text;
    for (*number = 0; *at >= '0' && *at <= '9'; at++) {
        const int digit = *at - '0';
        if (digit > most || *number > (most - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    const bool any = at > *text;
    *text = at;
    return any;
}

bool next_number(char **rest, int64_t most, int64_t *number)
{
    const char *word = next_word(rest);
    return word && read_digits(&word, most, number) && !*word;
}

bool read_size(const char **text, int64_t most, int64_t *size)
{
    static const char units[] = "KMG";
    if (!read_digits(text, most, size))
        return false;
    const char *const unit = **text ? strchr(units, **text) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (*size > most >> shift)
        return false;
    *size <<= shift;
    *text += unit != NULL;
    return true;
}

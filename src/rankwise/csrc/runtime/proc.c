#define _GNU_SOURCE
#include "proc.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void rw_read_line(const char *path, char *line, size_t size_bytes)
{
    line[0] = '\0';
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    if (!fgets(line, (int)size_bytes, file))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

void rw_read_link(const char *path, char *target, size_t size_bytes)
{
    const ssize_t length = readlink(path, target, size_bytes - 1);
    target[length < 0 ? 0 : length] = '\0';
}
